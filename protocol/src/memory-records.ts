// Memory records: the forms of what agents and people remember. Writer, label and time are in the row of the file.
//
//   factFile({ text: "The gateway listens on port 9443", subject: "gateway port", source: "operator" })
//     { path: "/mem/semantic/facts/gateway-port/8c1f…", data: { kind: "fact", … } }
//   readFact(data), readEpisode(data)       undefined where the data has another form
//
// MEMORY-RECORDS-1  The path of a fact follows from its subject and its text: the same fact has the same path, so a
//     repeated call writes the same file.
// MEMORY-RECORDS-2  `replaces` names a fact within the same memory (`SUBJECT/ID`), wherever that memory is mounted.
//     A replacement is in the folder of what it replaces.

import { z } from "zod";

/** Where the records are in the memory of an agent. */
export const FACTS = "/mem/semantic/facts";
export const EPISODES = "/mem/episodic/tasks";

const GENERAL = "general";
const DEFAULT_CONFIDENCE = 0.8;

export const factText = z.string().trim().min(1).max(4000);
export const factSubject = z.string().trim().min(1).max(200);
export const factSource = z.string().trim().min(1).max(500);
export const factConfidence = z.number().min(0).max(1);
export const factReference = z
  .string()
  .regex(/^(?:\/mem\/[\w.@~/-]*\/facts\/)?[\w-]{1,100}\/[\w-]{1,100}$/, "SUBJECT/ID of a fact")
  .transform((text) => text.split("/").slice(-2).join("/"));

/** The journal record that a fact was taken from: by its number, or by the message that it received. */
const origin = z.union([
  z.strictObject({ pid: z.string().startsWith("agt_"), seq: z.number().int().nonnegative() }),
  z.strictObject({ pid: z.string().startsWith("agt_"), message: z.string().min(1).max(200) }),
]);

export const factSchema = z.strictObject({
  kind: z.literal("fact"),
  text: factText,
  subject: factSubject.optional(),
  source: factSource,
  confidence: factConfidence,
  replaces: factReference.optional(),
  from: origin.optional(),
});
export type Fact = z.output<typeof factSchema>;

export const outcomes = ["good", "bad"] as const;

const line = z.string().max(4000);

export const episodeSchema = z.strictObject({
  kind: z.literal("episode"),
  goal: line,
  action: line,
  result: line,
  outcome: z.enum(outcomes),
  reflection: line.optional(),
});
export type Episode = z.output<typeof episodeSchema>;

/** What is said of a fact; the rest has defaults. */
export type GivenFact = Pick<Fact, "text" | "source"> &
  Partial<Pick<Fact, "subject" | "confidence" | "replaces" | "from">>;

/** MEMORY-RECORDS-1. */
export function factFile(given: GivenFact): { readonly path: string; readonly data: Fact } {
  const { text, subject, source, confidence = DEFAULT_CONFIDENCE, replaces, from } = given;
  const folder = replaces?.split("/")[0] ?? subjectKey(subject) ?? GENERAL;
  return {
    path: `${FACTS}/${folder}/${digestOfText(spaced(text))}`,
    data: {
      kind: "fact",
      text,
      ...(subject === undefined ? {} : { subject }),
      source,
      confidence,
      ...(replaces === undefined ? {} : { replaces }),
      ...(from === undefined ? {} : { from }),
    },
  };
}

/** Facts with the same key are about the same thing. */
export function subjectKey(subject: string | undefined): string | undefined {
  if (subject === undefined) return undefined;
  const words = subject
    .toLowerCase()
    .replaceAll(/['’]s\b/g, "")
    .match(/[a-z0-9]+/g);
  const isPlain = !/[^\x20-\x7e’]/.test(subject);
  return isPlain && words !== null ? words.join("-").slice(0, 80) : `s-${digestOfText(subject)}`;
}

/** The same words, however they are spaced. */
export const spaced = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

const isKind = (data: unknown, kind: string): boolean =>
  typeof data === "object" && data !== null && "kind" in data && data.kind === kind;

/** Cheap for what has another form. */
export const readFact = (data: unknown): Fact | undefined =>
  isKind(data, "fact") ? factSchema.safeParse(data).data : undefined;

export const readEpisode = (data: unknown): Episode | undefined =>
  isKind(data, "episode") ? episodeSchema.safeParse(data).data : undefined;

/** FNV-1a with 64 bits, over UTF-16. A name, not a proof: whoever could make two texts meet may write the file anyway. */
function digestOfText(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    for (const byte of [unit & 0xff, unit >> 8])
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
