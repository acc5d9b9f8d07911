export {
  type OccurrenceStart,
  type OccurrenceStarter,
  type ScheduleFlowOptions,
  scheduleFlow,
} from '../schedule/index.js'
export { type MemoryDisk, memory, memoryDisk } from '../store/memory/index.js'
export { type CrashDisk, memoryCrashDisk, type NewCrashDisk, sqliteCrashDisk } from './crash-disk.js'
export type { CrashTestOptions, Upgrade } from './crash-options.js'
export { CrashReport, type TrialCount, type TrialFailure, type TrialKind } from './crash-report.js'
export { crashTest } from './crash-test.js'
export { type Fact, type FamilyFacts, factsOf, firstDifference, firstFamilyDifference } from './facts.js'
export type { KillPlace } from './kill-plan.js'
export { KillReport } from './kill-report.js'
export type { MadeStore, ProcessStores } from './kill-stores.js'
export { type KillStart, type KillTestOptions, killTest } from './kill-test.js'
export { type Destination, Ledger } from './ledger.js'
export { type CountingDestination, LedgerServer, startLedgerServer } from './ledger-server.js'
export type { Doubt, ScriptedChange, ScriptedStater, ScriptedVote } from './people.js'
export type { PointKind } from './places.js'
export type { AddressedSignal, ScriptedCancel, ScriptedSignal } from './script.js'
export { ScriptedClock } from './scripted-clock.js'
export type { MovableUnderTest, StoreUnderTest } from './store-conformance/given.js'
export {
  type ConformanceCase,
  type ConformanceOptions,
  type MoveConformanceOptions,
  moveConformance,
  storeConformance,
} from './store-conformance.js'
