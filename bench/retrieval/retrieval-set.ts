// Retrieval set: collections of files with questions, each with the evidence that answers it. Three are in data/: four
// dialogues, the documents and the source of this repository. Any other dialogue can be read from a JSON file:
//
//   [{ "name": "…",
//      "sessions": [{ "date": "2025-03-04", "turns": [{ "id": "D1:1", "speaker": "Ada", "text": "…" }] }],
//      "questions": [{ "question": "…", "evidence": ["D1:1"] }] }]
//
// Also read: `conversation` with `session_N` and `session_N_date_time`, turns with `dia_id`, and `qa` in place of
// `questions`, as public sets of long dialogues have them. Answers are never read.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "../../protocol/src/index.ts";

export interface Question {
  readonly text: string;
  readonly evidence: readonly string[];
}

export interface SourceFile {
  readonly path: string;
  readonly data: Json;
}

export interface Collection {
  readonly name: string;
  readonly kind: "dialogue" | "document" | "code";
  readonly files: readonly SourceFile[];
  readonly train: readonly Question[];
  readonly heldOut: readonly Question[];
}

interface Turn {
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
}

interface Dialogue {
  readonly name: string;
  readonly sessions: readonly { readonly date: string; readonly turns: readonly Turn[] }[];
  readonly questions: readonly Question[];
}

const folder = new URL("./data/", import.meta.url);
const repository = fileURLToPath(new URL("../../", import.meta.url));
/** The split is by dialogue and by file, so that nothing that was trained on is asked about. */
const TRAIN_DIALOGUES = new Set(["mara-tobias", "wei-sandra"]);

export function ownCollections(): Collection[] {
  const dialogues = readdirSync(new URL("dialogues/", folder))
    .sort()
    .map((file) => readDialogue(file.replace(/\.txt$/, ""), textOf(`dialogues/${file}`)));
  return [
    ...dialogues.map((dialogue) => asCollection(dialogue, TRAIN_DIALOGUES.has(dialogue.name))),
    fromRepository("documents", "document", [
      "docs/*.md",
      "README.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
    ]),
    fromRepository(
      "code",
      "code",
      ["protocol", "kernel", "drivers", "userland", "daemon", "cli"].map(
        (room) => `${room}/src/*.ts`,
      ),
    ),
  ];
}

const textOf = (file: string): string => readFileSync(new URL(file, folder), "utf8");

/** A line each: `@ date`, `X> text` of the speaker X, `X#id> text` of evidence, `? question = id, id`. */
function readDialogue(name: string, text: string): Dialogue {
  const speakers = new Map<string, string>();
  const sessions: { date: string; turns: Turn[] }[] = [];
  const questions: Question[] = [];
  for (const line of text.split("\n")) {
    const speaker = /^(\w) (\w+)$/.exec(line);
    const turn = /^(\w)(?:#(\w+))?> (.+)$/.exec(line);
    const question = /^\? (.+?) = (.+)$/.exec(line);
    if (speaker !== null) speakers.set(speaker[1]!, speaker[2]!);
    else if (line.startsWith("@ ")) sessions.push({ date: line.slice(2), turns: [] });
    else if (turn !== null) {
      const { turns } = sessions.at(-1)!;
      const id = turn[2] ?? `${sessions.length}.${turns.length}`;
      turns.push({ id, speaker: speakers.get(turn[1]!)!, text: turn[3]! });
    } else if (question !== null)
      questions.push({ text: question[1]!, evidence: question[2]!.split(", ") });
    else if (line !== "") throw new Error(`${name}: cannot be read: ${line}`);
  }
  return { name, sessions: withChatter(sessions, [...speakers.values()]), questions };
}

/** Long dialogues are mostly about nothing: two exchanges of small talk in each session, at places that follow from the session. */
function withChatter(
  sessions: readonly { date: string; turns: Turn[] }[],
  speakers: readonly string[],
) {
  const exchanges = textOf("chatter.txt").trim().split("\n\n");
  return sessions.map(({ date, turns }, at) => {
    const mixed = [...turns];
    for (const [index, place] of [turns.length, 4].entries()) {
      const exchange = exchanges[(at * 2 + index) % exchanges.length]!;
      const said = exchange.split("\n").map((line, n) => ({
        id: `chatter ${at}.${index}.${n}`,
        speaker: speakers[line.startsWith("A>") ? (at + index) % 2 : (at + index + 1) % 2]!,
        text: line.slice(3),
      }));
      mixed.splice(place, 0, ...said);
    }
    return { date, turns: mixed };
  });
}

function asCollection({ name, sessions, questions }: Dialogue, isTrain: boolean): Collection {
  const paths = new Map<string, string>();
  const files = sessions.flatMap(({ date, turns }, session) =>
    turns.map(({ id, speaker, text }, at) => {
      const path = `/mem/shared/${name}/${session + 1}/${at + 1}`;
      paths.set(id, path);
      return { path, data: { speaker, text, date } };
    }),
  );
  const asked = questions.flatMap(({ text, evidence }) => {
    const known = evidence.flatMap((id) => paths.get(id) ?? []);
    return known.length === 0 ? [] : [{ text, evidence: known }];
  });
  return {
    name,
    kind: "dialogue",
    files,
    train: isTrain ? asked : [],
    heldOut: isTrain ? [] : asked,
  };
}

function fromRepository(
  name: string,
  kind: "document" | "code",
  patterns: readonly string[],
): Collection {
  const listed = execFileSync("git", ["ls-files", ...patterns], {
    cwd: repository,
    encoding: "utf8",
  });
  const paths = listed
    .split("\n")
    .filter((path) => path !== "" && !/\.test\.ts$|\/earlier\//.test(path));
  const files = paths.map((path) => ({
    path: `/${path}`,
    data: readFileSync(`${repository}${path}`, "utf8"),
  }));
  const questions = textOf(`${name}.txt`)
    .split("\n")
    .flatMap((line) => {
      const match = /^\? (.+?) = (.+)$/.exec(line);
      return match === null
        ? []
        : [{ text: match[1]!, evidence: match[2]!.split(/, (?=\w+\/)/).map((one) => `/${one}`) }];
    });
  // By the file of the evidence: the same file is never on both sides.
  const isTrain = ({ evidence }: Question): boolean => hash(evidence[0]!.split("#")[0]!) % 2 === 0;
  return {
    name,
    kind,
    files,
    train: questions.filter(isTrain),
    heldOut: questions.filter((question) => !isTrain(question)),
  };
}

const hash = (text: string): number =>
  Buffer.from(text).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 11);

/** Dialogues of a file that others wrote. */
export function collectionsOf(file: string): Collection[] {
  const given = JSON.parse(readFileSync(file, "utf8")) as unknown;
  const list = Array.isArray(given) ? given : [given];
  return list.map((one, at) =>
    asCollection(foreignDialogue(one as Record<string, unknown>, at), false),
  );
}

function foreignDialogue(given: Record<string, unknown>, at: number): Dialogue {
  const name = (given["name"] ?? given["sample_id"] ?? `dialogue-${at + 1}`) as string;
  const conversation = (given["conversation"] ?? {}) as Record<string, unknown>;
  const numbered = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const sessions =
    (given["sessions"] as { date?: string; turns: Record<string, string>[] }[] | undefined) ??
    numbered.map((n) => ({
      date: (conversation[`session_${n}_date_time`] ?? "") as string,
      turns: conversation[`session_${n}`] as Record<string, string>[],
    }));
  if (sessions.length === 0) throw new Error(`${name}: no sessions`);
  const questions = (given["questions"] ?? given["qa"] ?? []) as {
    question: string;
    evidence?: string[];
  }[];
  return {
    name,
    sessions: sessions.map(({ date = "", turns }, session) => ({
      date,
      turns: turns.map((turn, n) => ({
        id: turn["id"] ?? turn["dia_id"] ?? `${session + 1}:${n + 1}`,
        speaker: turn["speaker"] ?? turn["author"] ?? turn["role"] ?? "",
        text: [turn["text"] ?? turn["content"] ?? "", turn["blip_caption"] ?? turn["caption"]]
          .filter(Boolean)
          .join("\n"),
      })),
    })),
    questions: questions.map(({ question, evidence = [] }) => ({
      text: question,
      evidence: evidence.flatMap((one) => one.split(/[;,\s]+/)).filter(Boolean),
    })),
  };
}
