import type { PlantedBug } from './workbench.js'

const engine = (name: string): string => `constancia/src/engine/${name}.ts`
const golden = (name: string): PlantedBug['noticedBy'] => ({ file: 'constancia/test/golden/families.test.ts', name })
const underWay = (name: string): PlantedBug['noticedBy'] => ({
  file: 'constancia/test/golden/families-under-way.test.ts',
  name,
})

/** Bugs of runs that belong together: children, cancellation, continuing as new, patches. */
export const familyBugs: readonly PlantedBug[] = [
  {
    breaks: 'the end of a child counts again when it is told again',
    file: engine('dispatcher'),
    find: '      delivery: endDelivery({ run, op }),\n',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    replace: '      delivery: `${endDelivery({ run, op })}/${this.#input.parts.randomBytes(4).join("-")}`,\n',
    noticedBy: golden("flow 'family' in memory R-A7 R-C5"),
  },
  {
    breaks: 'a child that nobody waits for goes on when its parent ends',
    file: engine('children'),
    find: '!child.isCancelRequested && !isToStay(op)',
    replace: '!child.isCancelRequested && !isToStay(op) && child.run.length === 1',
    noticedBy: golden("flow 'family' in memory R-A7 R-C5"),
  },
  {
    breaks: 'a cancellation is handed over before what stands before it in the journal',
    file: engine('handover'),
    find: 'if (cancel === undefined || (next !== undefined && next.event.seq < cancel.event.seq)) return next',
    replace: 'if (cancel === undefined) return next',
    noticedBy: underWay('cancelled after 4 events'),
  },
  {
    breaks: 'an outcome that comes after the cancellation is recorded all the same',
    file: engine('op-host'),
    find: '(): boolean => !this.#input.ops.isCancelPending',
    replace: '(): boolean => this.#input.ops.isCancelPending || true',
    noticedBy: { file: 'constancia/test/engine/cancelling.test.ts', name: 'too late' },
  },
  {
    breaks: 'signals that were not read are lost when another run takes over',
    file: engine('ops'),
    find: 'unread: this.#handover.unreadSignals()',
    replace: 'unread: []',
    noticedBy: golden("flow 'counting' in memory R-A7 R-C5"),
  },
  {
    breaks: 'a signal that comes just as another run takes over stays behind',
    file: engine('execution'),
    find: 'const wanted = (): boolean => this.#appender.head.seq === head.seq\n',
    replace: 'const wanted = (): boolean => this.#appender.head.seq >= head.seq\n',
    noticedBy: golden("flow 'counting' in memory R-A7 R-C5"),
  },
  {
    breaks: 'a signal that a run has read is read again by the one that takes over',
    file: engine('successor'),
    find: 'const carried = unread.map(',
    replace: 'const carried = [...unread, ...unread].map(',
    noticedBy: golden("flow 'counting' in memory R-A2"),
  },
  {
    breaks: 'whether a run is patched is read off the code instead of its journal',
    file: engine('context'),
    find: 'return patches.includes(id)\n',
    replace: 'return patches.includes(id) || flow.name.length > 0\n',
    noticedBy: underWay('patch comes after 3 events'),
  },
  {
    breaks: 'a child that is started when it is to end already is asked to end only afterwards',
    file: engine('dispatcher'),
    find: "const draftsIfToEnd = [draftOf('CancelRequested', {})]",
    replace: 'const draftsIfToEnd = undefined',
    noticedBy: { file: 'constancia/test/engine/cancelling.test.ts', name: 'when it is to end already' },
  },
  {
    breaks: 'a run that is ended by force leaves its children running',
    file: engine('deliver'),
    find: '[...wish, ...children, ',
    replace: '[...wish, ...children.slice(children.length), ',
    noticedBy: underWay('ended by force after 3 events'),
  },
]
