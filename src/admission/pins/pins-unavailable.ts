import { EngineDown } from '../../state/engine.js';

/** Raised if pins cannot be stored at the moment: definitions that are not pinned yet stay withheld. */
export class PinsUnavailable extends EngineDown {}
