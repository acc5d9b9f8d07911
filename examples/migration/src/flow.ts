import { type Flow, type FlowContext, flow } from 'constancia'

/** One line of a file, as it is and as it should be. */
export interface Edit {
  /** 1-based. */
  readonly line: number
  readonly before: string
  readonly after: string
}

/** What should change in one file; no edits if it is fine as it is. */
export interface Patch {
  readonly file: string
  readonly edits: readonly Edit[]
}

/** Everything outside that the agent touches. Calls take the key of their step: it is the same on every try. */
export interface Tools {
  listFiles(folder: string, key: string): Promise<string[]>
  readFile(file: string): Promise<string>
  askModel(question: { file: string; text: string }, key: string): Promise<Edit[]>
  commit(change: { branch: string; message: string; patches: readonly Patch[] }, key: string): Promise<string>
  openPull(pull: { title: string; branch: string; commit: string; fileCount: number }, key: string): Promise<number>
}

/** What the agent is asked for: the packages to migrate, each a folder of the repository. */
export interface MigrateInput {
  readonly packages: readonly string[]
}

/** What it brings: one pull request for each package that needed one. */
export interface MigrateOutput {
  readonly pulls: readonly { readonly name: string; readonly number: number; readonly fileCount: number }[]
}

/**
 * The agent. For each package: list its files, ask the model about each of them, commit what should change to a branch,
 * and open a pull request.
 *
 * Plain code: loops, conditions and variables. What touches the world is in a step. If the process dies, the next one runs
 * this function from the top: steps that were done return what they returned then, at once and without executing, and
 * the first one that was not done is where the work goes on.
 */
export function migrateWith(tools: Tools): Flow<MigrateInput, MigrateOutput> {
  return flow({
    name: 'migrate',
    version: 1,
    async run(ctx, { packages }: MigrateInput) {
      const pulls: { name: string; number: number; fileCount: number }[] = []
      for (const name of packages) {
        const files = await ctx.step(`list ${name}`, ({ key }) => tools.listFiles(name, key))

        // Four questions at once. An answer costs money: once it is in the journal, it is never asked for again.
        const answers = await ctx.map(files, askAbout, { concurrency: 4 })
        const patches = answers.filter(({ edits }) => edits.length > 0)
        if (patches.length === 0) continue

        const branch = `modern/${name}`
        const title = `${name}: modern JavaScript in ${patches.length} files`
        const commit = await ctx.step(`commit ${name}`, ({ key }) =>
          tools.commit({ branch, message: title, patches }, key),
        )

        // The key goes with the request. A crash between the answer and the journal leads to a second request,
        // and the forge knows by the key that it has been there before.
        const number = await ctx.step(`open pull request for ${name}`, ({ key }) =>
          tools.openPull({ title, branch, commit, fileCount: patches.length }, key),
        )
        pulls.push({ name, number, fileCount: patches.length })
      }
      return { pulls }
    },
  })

  function askAbout(file: string, branch: FlowContext): Promise<Patch> {
    return branch.step(`ask about ${file}`, async ({ key }) => {
      const text = await tools.readFile(file)
      return { file, edits: await tools.askModel({ file, text }, key) }
    })
  }
}
