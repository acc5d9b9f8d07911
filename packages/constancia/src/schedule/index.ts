export type { MissedPolicy } from './due.js'
export { type OpenOptions, open } from './open.js'
export { type Schedule, type ScheduleDeclaration, schedule } from './schedule.js'
export {
  type OccurrenceStart,
  type OccurrenceStarter,
  type ScheduleFlowOptions,
  scheduleFlow,
} from './schedule-flow.js'
export type { ScheduleInput, ScheduleState, Spec } from './spec.js'
