import { findSecrets, maskSecrets } from '../../platform/text/secrets/index.ts'

/** A text as the model gets it: no secret leaves the service. */
export const masked = (text: string) => maskSecrets(text, findSecrets(text))
