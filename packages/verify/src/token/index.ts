export { checkToken, type TokenResult, type TokenTrust, trustedCertificates } from './check.js'
export { certificatesIn } from './pem.js'
export { nonceBytes, readStampAnswer, type StampAnswer, stampRequest } from './request.js'
