// Secret-like: files that hold keys or passwords by their name, or by what is in them. They are not ingested.

const NAMES = [
  /^\.env(?:\..+)?$/i,
  /^\.(?:netrc|pgpass|npmrc|pypirc|htpasswd|git-credentials|dockercfg)$/i,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/i,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$/i,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt))?$/i,
  /^(?:kubeconfig|service-account.*\.json)$/i,
];
/** What a `.env` looks like, for people to copy. */
const TEMPLATE = /^\.env\.(?:example|sample|template|dist)$/i;

const CONTENTS = [
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----\s+\S{20}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}\b/,
  /\bxox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,}/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{40,}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
];

export const hasSecretName = (name: string): boolean =>
  !TEMPLATE.test(name) && NAMES.some((pattern) => pattern.test(name));

export const hasSecretContent = (text: string): boolean =>
  CONTENTS.some((pattern) => pattern.test(text));
