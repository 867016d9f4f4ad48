import type { SourceDetails } from '../../../core/source.js';
import { isChannel, type Channel, type ChannelEnd, type OpenChannel } from './channel.js';

/** Opens channels and remembers them, for the details of the source. */
export function channelLog(open: OpenChannel) {
  const channels = new Set<Channel>();
  let starts = 0;
  let lastEnd: { readonly at: string; readonly message: string; readonly stderr?: string } | undefined;
  const openCounted: OpenChannel = async (events, owner, signal) => {
    const opened = await open(events, owner, signal);
    // Ended channels are dropped when the next one opens, so that the set stays small.
    for (const channel of channels) if (channel.end) channels.delete(channel);
    if (isChannel(opened)) {
      starts += 1;
      channels.add(opened);
    }
    return opened;
  };
  return {
    open: openCounted,
    ended(end: ChannelEnd): void {
      lastEnd = { at: new Date().toISOString(), ...end };
    },
    details(): Pick<SourceDetails, 'connections' | 'starts' | 'pids' | 'stderr' | 'lastEnd'> {
      const live = [...channels].filter(({ end }) => end === undefined);
      // The output of a live process is more useful than that of one that ended.
      const stderr = live.map((channel) => channel.process?.stderr() ?? '').find((text) => text !== '');
      const last = stderr ?? lastEnd?.stderr;
      return {
        connections: live.length,
        starts,
        pids: live.flatMap((channel) => (channel.process ? [channel.process.pid] : [])),
        ...(last !== undefined && { stderr: last }),
        ...(lastEnd && { lastEnd: { at: lastEnd.at, message: lastEnd.message } }),
      };
    },
  };
}
