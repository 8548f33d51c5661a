// Known formats: undeclared credentials, recognised by their form. A net for
// accidents: what has no known form passes.
//
//   findKnown(text, found)   adds a finding for each
//
// KNOWN-FORMATS-1  Each format is a row: what it is called, the literal texts by which it is found, its
//     shape. Where several rows fit at one place the first one counts.
// KNOWN-FORMATS-2  A bar in an anchor says where the scan looks: at the three characters after it, which
//     should be rare in ordinary text. The scan itself then looks at every second character.

import {
  ALPHANUMERIC,
  BASE64,
  DOTTED,
  HEX,
  namedShape,
  pathBelow,
  type MatchShape,
  tokenShape,
  URL_SAFE,
  WORD,
  alphabet,
} from "./format-shapes.ts";
import {
  basic,
  bearer,
  jwt,
  privateKey,
  sendgrid,
  telegram,
  TWILIO_ANCHORS,
  urlPassword,
} from "./format-structures.ts";
import type { Finding } from "./redaction.ts";

const AUTHORIZATION = ["autho|rization", "Autho|rization", "AUTHO|RIZATION"];
const AWS_SECRET_NAMES = ["ecr|etAccessKey", "ecr|et_access_key", "ECR|ET_ACCESS_KEY"];
const PATH = alphabet("0-9", "A-Z", "a-z", "/_-");

const formats: readonly (readonly [name: string, anchors: readonly string[], shape: MatchShape])[] =
  [
    ["private-key", ["-----|BEGIN "], privateKey],
    ["jwt", ["eyJ"], jwt],
    ["capability-token", ["a|os1."], tokenShape(DOTTED, 32)],
    ["github-token", ["g|hp_", "g|ho_", "g|hu_", "g|hs_", "g|hr_"], tokenShape(ALPHANUMERIC, 36)],
    ["github-token", ["github_p|at_"], tokenShape(WORD, 22)],
    ["gitlab-token", ["glp|at-", "gl|dt-", "gl|rt-", "glp|tt-"], tokenShape(DOTTED, 20)],
    ["anthropic-key", ["sk-ant-"], tokenShape(URL_SAFE, 20)],
    ["openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-"], tokenShape(URL_SAFE, 20)],
    ["openrouter-key", ["sk-or-v1-"], tokenShape(HEX, 64, 64)],
    ["openai-key", ["sk-"], tokenShape(ALPHANUMERIC, 32)],
    ["stripe-key", ["sk_live_", "rk_live_"], tokenShape(ALPHANUMERIC, 16)],
    [
      "slack-token",
      ["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xa|pp-"],
      tokenShape(URL_SAFE, 10),
    ],
    ["slack-webhook", ["hooks.sla|ck.com/"], pathBelow(PATH, 30)],
    ["discord-webhook", ["discord.com/ap|i/webhooks/"], pathBelow(PATH, 40)],
    ["aws-access-key-id", ["AKIA", "ASIA"], tokenShape(alphabet("A-Z", "2-7"), 16, 16)],
    ["aws-secret-key", AWS_SECRET_NAMES, namedShape(BASE64, 40)],
    ["google-key", ["AIza"], tokenShape(URL_SAFE, 35, 35)],
    ["google-token", ["ya29."], tokenShape(DOTTED, 30)],
    ["npm-token", ["npm_"], tokenShape(ALPHANUMERIC, 36, 36)],
    ["pypi-token", ["pypi|-AgEI"], tokenShape(URL_SAFE, 40)],
    ["sendgrid-key", ["SG."], sendgrid],
    ["twilio-key", TWILIO_ANCHORS, tokenShape(HEX, 31, 31)],
    ["digitalocean-token", ["do|p_v1_", "do|o_v1_", "do|r_v1_"], tokenShape(HEX, 64, 64)],
    ["huggingface-token", ["hf_"], tokenShape(ALPHANUMERIC, 30, 40)],
    ["telegram-bot-token", [":AA"], telegram],
    ["bearer-token", AUTHORIZATION, bearer],
    ["basic-credentials", AUTHORIZATION, basic],
    ["url-password", ["://"], urlPassword],
  ];

export const formatNames: ReadonlySet<string> = new Set(formats.map(([name]) => name));

interface Anchor {
  readonly text: string;
  /** Where in the text the scan looks: at three characters that few other words have. */
  readonly look: number;
  readonly firstUnit: number;
  readonly name: string;
  readonly shape: MatchShape;
}

const NONE: Anchor[] = [];
const WINDOW = 3;
const SLOTS = 1 << 14;
/** How far the window may move by the two characters at its end, and the anchors to try at 0. */
const jumps = new Uint8Array(SLOTS).fill(WINDOW - 1);
const anchorsOf: Anchor[][] = Array.from({ length: SLOTS }, () => NONE);

/** How far an anchor reaches from where the scan looks. */
let longestTail = 0;

for (const [name, anchors, shape] of formats)
  for (const anchor of anchors) add(name, anchor, shape);

function slotOf(a: number, b: number): number {
  return ((a << 7) ^ b) & (SLOTS - 1);
}

function add(name: string, anchor: string, shape: MatchShape): void {
  const look = Math.max(0, anchor.indexOf("|"));
  const text = anchor.replace("|", "");
  const [a = 0, b = 0, c = 0] = Array.from(text.slice(look), (mark) => mark.charCodeAt(0));
  const here = slotOf(b, c);
  longestTail = Math.max(longestTail, text.length - look);
  jumps[slotOf(a, b)] = Math.min(jumps[slotOf(a, b)]!, 1);
  jumps[here] = 0;
  anchorsOf[here] = [...anchorsOf[here]!, { text, look, firstUnit: a, name, shape }];
}

export function findKnown(text: string, found: Finding[]): void {
  const length = text.length;
  let last = WINDOW - 1;
  while (last < length) {
    const slot = slotOf(text.charCodeAt(last - 1), text.charCodeAt(last));
    const jump = jumps[slot]!;
    if (jump === 0) {
      const finding = findAt(text, last - WINDOW + 1, slot);
      if (finding !== undefined) found.push(finding);
      // What was found is not looked through again, since a long token may hold many anchors. Its end is: a
      // token may run into the name that says what the next word is.
      last = Math.max(last + 1, (finding?.end ?? 0) - longestTail + WINDOW - 1);
    } else last += jump;
  }
}

function findAt(text: string, lookAt: number, slot: number): Finding | undefined {
  const firstUnit = text.charCodeAt(lookAt);
  for (const anchor of anchorsOf[slot]!) {
    const at = lookAt - anchor.look;
    if (firstUnit !== anchor.firstUnit || at < 0 || !text.startsWith(anchor.text, at)) continue;
    const span = anchor.shape(text, at, anchor.text);
    if (span !== undefined) return { ...span, name: anchor.name };
  }
  return undefined;
}
