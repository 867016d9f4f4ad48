/** Whether a process exists; a process of another user does. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

/** Whether a file named `<pid>-…` was left behind by a process that is gone. */
export function isLeftBehind(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
  return pid !== 0 && pid !== process.pid && !isProcessAlive(pid);
}
