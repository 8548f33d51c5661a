// Scenarios of the conformance suite that our client does not pass. None of them is scored: they are
// extensions of the protocol. The list may only become shorter: one that passes has to leave it.

export const leftOut: Readonly<Record<string, string>> = {
  "auth/client-credentials-jwt": "machines that sign in with a key: no declaration can say so yet",
  "auth/client-credentials-basic": "the same with a password",
  "auth/enterprise-managed-authorization": "tokens from a company's identity provider",
  "auth/dpop": "tokens bound to a key",
  "auth/dpop-nonce": "tokens bound to a key",
  "auth/wif-jwt-bearer": "identities of workloads in a cloud",
};
