/** What a run does now: computed from its journal and from what the scheduler knows. */
export type RunStatus = 'ready' | 'running' | 'waiting' | 'paused' | 'stuck' | 'completed' | 'failed' | 'cancelled'
