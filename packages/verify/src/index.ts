export { commitPreimage, type EventHeader, genesisText, headerText, saltBytes } from './chain.js'
