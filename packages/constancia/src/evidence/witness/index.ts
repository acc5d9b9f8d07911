export { type EndpointOptions, serveWitness, type WitnessEndpoint } from './endpoint.js'
export { type AddCheckpoint, type ReadRequest, readRequest, requestBytesMax } from './request.js'
export { Witness, type WitnessAnswer, type WitnessParts } from './witness.js'
