// @ts-check
// Which store a process opens, from the address that it is told.

/**
 * @param {import('./scene-store.js').StoreAddress} address
 * @param {{ readonly isDeaf?: boolean }} [options] whether it hears of nothing that other processes do
 * @returns {import('constancia').StoreFactory}
 */
function storeAt(address, { isDeaf = false } = {}) {
  return async (parts) => {
    if (address.kind === 'sqlite') {
      const { sqlite } = await import('constancia/sqlite')
      return sqlite({ file: address.file, watchPollMs: isDeaf ? 0 : 25 })(parts)
    }
    const { postgres } = await import('constancia/postgres')
    const { url, schema } = address
    return postgres({ url, schema, ...(isDeaf ? { listen: false } : {}) })(parts)
  }
}

// biome-ignore lint/style/noDefaultExport: the processes of a kill test take the stores from there.
export default storeAt
