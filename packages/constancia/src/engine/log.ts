/** How urgent a line is. */
export type LogLevel = 'info' | 'warn' | 'error'

/** Takes one line of log; must not throw. */
export type Logger = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>) => void

/** Writes lines to standard error: level, message, fields as JSON. */
export const stderrLogger: Logger = (level, message, fields) => {
  const tail = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`
  process.stderr.write(`constancia ${level}: ${message}${tail}\n`)
}
