// The policy that ships (layer `kernel`), in the format of policy.yaml.
//
// Capabilities decide. What is taken from them is where an attacker's text would turn into an act: a
// process that has read something untrusted (RED) needs a person, or a pin from before it read it, to
// reach out, to destroy, or to start a child with more power than its own.
//
// System call by system call, for a RED process:
//
//   exec           asked where the tool reaches out, destroys, or acts outside: this is the way out
//   infer          never asked: the operator granted the model, and with it that the model's provider
//                  sees the context. An agent that could not think would only be asked more often.
//                  Secrets are the exception: they leave to nobody
//   ask            never asked: it is the question to a person itself
//   write, remove  asked where it is marked destructive (another's better-labelled row is lost), which
//                  the kernel marks; a process's own memory is no sink, and labels follow the rest
//   spawn, grant   asked when the other would have power that the process may not use itself
//   send, request, publish, signal    not asked: they stay inside, the label travels with them, and
//                  whoever receives it is RED then and asked in its turn
//   read, list, search, open, wait, receive, subscribe    they make a process RED, they do not act
//   the rest       changes nothing but the process itself

import type { PolicyLayerSource } from "../policy/policies.ts";
import type { PolicyFile } from "./policy-file.ts";

const RED = 'label.integrity == "untrusted" && !pinned';

/** Names that hold keys, wherever they are: a folder, a file, or the beginning of a file's name. */
const CREDENTIALS = [
  "/.ssh/",
  "/.aws/",
  "/.azure/",
  "/.config/gcloud/",
  "/.config/gh/",
  "/.gnupg/",
  "/.kube/",
  "/.docker/config.json/",
  "/.env/",
  "/.env.",
  "/.envrc/",
  "/.npmrc/",
  "/.yarnrc.yml/",
  "/.pypirc/",
  "/.netrc/",
  "/_netrc/",
  "/.pgpass/",
  "/.my.cnf/",
  "/.git-credentials/",
  "/.cargo/credentials",
  "/.terraform.d/credentials.tfrc.json/",
  "/.htpasswd/",
  "/.vault-token/",
  "/id_rsa/",
  "/id_dsa/",
  "/id_ecdsa/",
  "/id_ecdsa_sk/",
  "/id_ed25519/",
  "/id_ed25519_sk/",
];

/** Files that agents are told, or that programs of the user obey without a question. */
const POWER_FILES = [
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".cursorrules",
  ".windsurfrules",
  ".mcp.json",
  ...[".claude", ".codex", ".cursor", ".gemini", ".continue", ".windsurf"].map(below),
  ...[".vscode", ".idea", ".devcontainer", ".husky"].map(below),
  ".git/config",
  ".git/config.worktree",
  ".git/commondir",
  ".git/hooks/**",
  ".git/modules/**",
  ".git/worktrees/**",
  ".git",
];

function below(folder: string): string {
  return `${folder}/**`;
}

/** Files of examples that everybody may read, by their usual names. */
const EXAMPLES = ["/.env.example/", "/.env.sample/", "/.env.template/", "/.env.dist/"];

/** Every one of the above has one of these in it: most paths have none, and are done with. */
const SIGNS = ["/.", "/_netrc/", "/id_"];

/** A slash at the end, so that a file's name ends where a folder's does. */
const touchesCredentials =
  `paths.map(path, path.lowerAscii() + "/").exists(path, ` +
  `path.containsAny(${JSON.stringify(SIGNS)}) && path.containsAny(${JSON.stringify(CREDENTIALS)}) && !${JSON.stringify(EXAMPLES)}.exists(end, path.endsWith(end)))`;

export const defaultPolicy: PolicyFile = {
  version: 1,
  rules: [
    { id: "capabilities-decide", allow: "*" },
    {
      id: "no-credentials",
      deny: "file:*",
      when: touchesCredentials,
      say: "{path} is where keys are kept, and no tool reads or writes those files; use a secret by its name",
    },
    {
      id: "own-rules",
      ask: "file:/**/.agents/**:write,remove",
      say: "{agent} wants to change {path}, which says what agents are and may do",
    },
    {
      id: "power-files",
      ask: POWER_FILES.map((pattern) => `file:/**/${pattern}:write,remove`),
      when: "!undoable",
      say: "{agent} wants to change {path}, which agents or programs of the user obey",
    },
    {
      id: "secrets-stay",
      deny: "sink:egress",
      when: 'label.secrecy == "secret" && call != "ask"',
      say: "{agent} has read a secret, and what it has read does not leave the machine",
    },
    {
      id: "confidential-leaves",
      ask: "sink:egress",
      when: 'label.secrecy == "confidential" && !pinned && !(call in ["infer", "ask"])',
      say: "{agent} has read confidential data and wants to use {tool}, which reaches outside",
    },
    {
      id: "red-egress",
      ask: "sink:egress",
      when: `${RED} && !(call in ["infer", "ask"])`,
      say: "{agent} has read something untrusted and wants to use {tool}, which reaches outside",
    },
    {
      id: "red-destructive",
      ask: "sink:destructive",
      when: RED,
      say: "{agent} has read something untrusted and wants to use {tool} on {resource}, which may change things for good",
    },
    {
      id: "red-external",
      ask: "effect:external",
      when: `${RED} && !undoable && !("egress" in sinks) && !("destructive" in sinks)`,
      say: "{agent} has read something untrusted and wants to use {tool}, which cannot be taken back",
    },
    {
      id: "red-power",
      ask: ["spawn", "grant"],
      when: `${RED} && morePower`,
      say: "{agent} has read something untrusted and wants another to do more than it may itself",
    },
  ],
};

export const DEFAULT_POLICY: PolicyLayerSource = {
  layer: "kernel",
  origin: "built in",
  format: "policy",
  document: defaultPolicy,
};
