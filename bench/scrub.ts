// scrub: megabytes per second through the scrubber with 100 declared secrets, beside what people
// write instead: one alternation of every form, and a replaceAll for each. The text holds no secret,
// as nearly every text does. Ours searches base64 at three alignments and the known formats, too;
// the others search four forms of each secret.

import { createHash } from "node:crypto";
import { Scrubber } from "../kernel/src/secret/index.ts";
import { inChild } from "./child.ts";
import { median, round } from "./measure.ts";

const SECRETS = 100;
const ROUNDS = 7;
/** What most calls pass and get back. */
const SHORT = 300;

type Scrub = (text: string) => string;

export interface ScrubFigures {
  readonly mbPerSecond: number;
  readonly shortUs: number;
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

const secrets = Array.from({ length: SECRETS }, (_, n) => ({
  name: `TOKEN_${n}`,
  value: digest(`secret ${n}`).slice(0, 24 + (n % 17)),
}));

const fourForms = secrets.flatMap(({ name, value }) =>
  [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
    Buffer.from(value).toString("hex"),
  ].map((form) => ({ name, form })),
);

const makers: Record<string, () => Scrub> = {
  ours: () => {
    const scrubber = new Scrubber(secrets);
    return (text) => scrubber.text(text);
  },
  "ours-nothing-declared": () => {
    const scrubber = new Scrubber([]);
    return (text) => scrubber.text(text);
  },
  regexp: () => {
    const escaped = fourForms.map(({ form }) => form.replaceAll(/[^A-Za-z0-9]/g, "\\$&"));
    const names = new Map(fourForms.map(({ name, form }) => [form, name]));
    const alternation = new RegExp(escaped.join("|"), "g");
    return (text) => text.replace(alternation, (form) => `[secret:${names.get(form)}]`);
  },
  replaceAll: () => (text) =>
    fourForms.reduce((rest, { name, form }) => rest.replaceAll(form, `[secret:${name}]`), text),
};

/** Prose, code, JSON with ids and hashes: about what tools answer. */
function sampleText(bytes: number): string {
  const pieces: string[] = [];
  let length = 0;
  for (let n = 0; length < bytes; n++) {
    const hash = digest(`text ${n}`);
    const piece = [
      `The report of item ${n} was sent to the warehouse on the third, and nobody has answered yet.\n`,
      `{"id":"agt_${hash.slice(0, 26)}","url":"https://example.com/items/${n}?page=2","ok":true},\n`,
      `  const total${n} = items.filter((item) => item.price > ${n}).map(({ name }) => name);\n`,
      `commit ${Buffer.from(hash).toString("hex").slice(0, 40)}  integrity sha512-${hash}${hash}==\n`,
    ].join("");
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join("").slice(0, bytes);
}

export async function runScrub({
  who,
  bytes,
}: {
  who: string;
  bytes: number;
}): Promise<ScrubFigures> {
  const scrub = makers[who]!();
  const long = sampleText(bytes);
  const shorts = Array.from(
    { length: 500 },
    (_, n) => JSON.parse(JSON.stringify(long.slice(n * SHORT, (n + 1) * SHORT))) as string,
  );
  const timed = (work: () => void): number => {
    const from = performance.now();
    work();
    return performance.now() - from;
  };
  const all = () => {
    for (const text of shorts)
      if (scrub(text) !== text) throw new Error("there is no secret in it");
  };
  const whole = () => {
    if (scrub(long) !== long) throw new Error("there is no secret in it");
  };
  for (let warm = 0; warm < 3; warm++) {
    all();
    whole();
  }
  const wholes = Array.from({ length: ROUNDS }, () => timed(whole));
  const alls = Array.from({ length: ROUNDS * 3 }, () => timed(all));
  return {
    mbPerSecond: round(bytes / 1000 / median(wholes), 1),
    shortUs: round((median(alls) * 1000) / shorts.length, 2),
  };
}

export async function scrub(): Promise<Record<string, unknown>> {
  const ours = await inChild<ScrubFigures>("scrub", { who: "ours", bytes: 8_000_000 });
  const nothing = await inChild<ScrubFigures>("scrub", {
    who: "ours-nothing-declared",
    bytes: 8_000_000,
  });
  const regexp = await inChild<ScrubFigures>("scrub", { who: "regexp", bytes: 1_000_000 });
  const replaceAll = await inChild<ScrubFigures>("scrub", { who: "replaceAll", bytes: 1_000_000 });
  const times = (peer: ScrubFigures) => round(ours.mbPerSecond / peer.mbPerSecond, 1);
  return {
    ours: ours.mbPerSecond,
    regexp: regexp.mbPerSecond,
    replaceAll: replaceAll.mbPerSecond,
    oursNothingDeclared: nothing.mbPerSecond,
    timesRegexp: times(regexp),
    timesReplaceAll: times(replaceAll),
    [`usPer${SHORT}Characters`]: {
      ours: ours.shortUs,
      oursNothingDeclared: nothing.shortUs,
      regexp: regexp.shortUs,
      replaceAll: replaceAll.shortUs,
    },
    limit: 50,
    unit: `MB/s with ${SECRETS} secrets`,
  };
}
