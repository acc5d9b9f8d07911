import type { Contract, GovernedRuntime } from 'constancia'

/** Puts a contract in force for the first time, and says who holds which role. Each of it is an event of the governance stream. */
export async function putInForce(contract: Contract, governance: GovernedRuntime['governance']): Promise<void> {
  const { directory } = governance
  await directory.bootstrap({ principal: 'ada', by: 'ada' })
  await governance.activate({ contract, by: 'ada' })
  await directory.grant({ principal: 'ann', role: 'analyst', by: 'ada' })
  for (const principal of ['tom', 'tess']) await directory.grant({ principal, role: 'treasurer', by: 'ada' })
}
