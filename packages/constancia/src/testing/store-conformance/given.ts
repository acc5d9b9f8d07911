import type { Moving, Store } from '../../store/index.js'

/** A fresh store for one case, and the power over its surroundings. */
export interface StoreUnderTest {
  readonly store: Store
  /** Closes every handle and opens a new one on the same data. */
  reopen(): Promise<Store>
  /** Opens a further handle on the same data, beside those that are open. */
  another(): Promise<Store>
  /** What the store's clock shows, UTC milliseconds since 1970. It stands still but for {@link StoreUnderTest.advance}. */
  nowMs(): number
  /** Moves the store's clock, and calls the timers that are due then. */
  advance(ms: number): Promise<void>
  /** Lets real time pass, milliseconds, in which threads and other processes get on. */
  pause(ms: number): Promise<void>
  /** Closes what is open and deletes the data. */
  dispose(): Promise<void>
}

/** A fresh store that can be moved. */
export interface MovableUnderTest extends StoreUnderTest {
  /** Opens it for a move, beside whatever is open. */
  openToMove(): Promise<Moving>
}
