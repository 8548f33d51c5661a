// Fact relations: which facts of a segment replace which, and which contradict each other.
//
//   segment.facts.replaced(mayRead)               the paths that a search leaves out
//   relateFacts(matches, scope, limit)            each match with what contradicts or replaces it
//
// FACT-RELATIONS-1  A fact is replaced only by one that is at least as trusted and was written no earlier. Less trusted
//     data cannot hide a fact: it contradicts it.
// FACT-RELATIONS-2  Two facts contradict each other if they have the same subject and different words, and neither is
//     replaced. Both are found, side by side.
// FACT-RELATIONS-3  A fact that may not be seen replaces and contradicts nothing.
// FACT-RELATIONS-4  Segments without facts pay nothing.

import { type Fact, type FoundKind, spaced, subjectKey } from "@aos/protocol";
import { isAtMost, readLabel } from "../label/label.ts";

interface FactFile {
  readonly path: string;
  readonly label: string;
  readonly writtenAt: number;
  readonly content: { readonly fact?: Fact };
}

/** A fact that stands in a relation to a found one; its label is part of the answer's. */
export interface RelatedFact {
  readonly path: string;
  readonly label: string;
}

type MayRead = ((path: string) => boolean) | undefined;

interface FactTable {
  /** By the path of what they replace. */
  readonly replacers: Map<string, FactFile[]>;
  readonly bySubject: Map<string, FactFile[]>;
}

const NONE: ReadonlySet<string> = new Set();

export class FactRelations {
  readonly #facts = new Map<string, FactFile>();
  /** Made at need: the facts change less often than they are searched. */
  #table: FactTable | undefined;

  get size(): number {
    return this.#facts.size;
  }

  put(file: FactFile): void {
    if (file.content.fact === undefined) return;
    this.#facts.set(file.path, file);
    this.#table = undefined;
  }

  remove(path: string): void {
    if (this.#facts.delete(path)) this.#table = undefined;
  }

  /** The paths of the facts that others are in the place of. */
  replaced(mayRead: MayRead): ReadonlySet<string> {
    if (this.#facts.size === 0) return NONE;
    const paths = [...this.#relations().replacers.keys()];
    return new Set(paths.filter((path) => this.replacerOf(path, mayRead) !== undefined));
  }

  /** FACT-RELATIONS-1. */
  replacerOf(path: string, mayRead: MayRead): FactFile | undefined {
    const fact = this.#facts.get(path);
    if (fact === undefined) return undefined;
    return this.#relations()
      .replacers.get(path)
      ?.find(
        (one) =>
          one.path !== path &&
          isVisible(one, mayRead) &&
          isAsTrusted(one, fact) &&
          isLater(one, fact),
      );
  }

  /** FACT-RELATIONS-2. */
  contradicting(path: string, mayRead: MayRead): readonly FactFile[] {
    const fact = this.#facts.get(path);
    const subject = fact === undefined ? undefined : subjectOf(fact);
    if (fact === undefined || subject === undefined) return [];
    if (this.replacerOf(path, mayRead) !== undefined) return [];
    return (this.#relations().bySubject.get(subject) ?? []).filter(
      (one) =>
        isVisible(one, mayRead) &&
        wordsOf(one) !== wordsOf(fact) &&
        this.replacerOf(one.path, mayRead) === undefined,
    );
  }

  #relations(): FactTable {
    if (this.#table !== undefined) return this.#table;
    const table: FactTable = { replacers: new Map(), bySubject: new Map() };
    for (const file of this.#facts.values()) {
      const replaced = replacedBy(file);
      if (replaced !== undefined) add(table.replacers, replaced, file);
      const subject = subjectOf(file);
      if (subject !== undefined) add(table.bySubject, subject, file);
    }
    return (this.#table = table);
  }
}

const add = (groups: Map<string, FactFile[]>, key: string, file: FactFile): void => {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [file]);
  else group.push(file);
};

const isVisible = ({ path }: FactFile, mayRead: MayRead): boolean =>
  mayRead === undefined || mayRead(path); // FACT-RELATIONS-3

function isAsTrusted(one: FactFile, other: FactFile): boolean {
  const { integrity } = readLabel(one.label);
  return isAtMost({ integrity, secrecy: "public" }, readLabel(other.label));
}

/** Of two in the same moment that name each other, neither is in the place of the other. */
const isLater = (one: FactFile, other: FactFile): boolean =>
  one.writtenAt > other.writtenAt ||
  (one.writtenAt === other.writtenAt && replacedBy(other) !== one.path);

const FACTS_FOLDER = "/facts/";

/** The memory that a fact is in, up to the folder of its facts. */
function rootOf(path: string): string | undefined {
  const at = path.lastIndexOf(FACTS_FOLDER);
  return at === -1 ? undefined : path.slice(0, at + FACTS_FOLDER.length);
}

function replacedBy({ path, content: { fact } }: FactFile): string | undefined {
  const root = rootOf(path);
  return fact?.replaces === undefined || root === undefined ? undefined : root + fact.replaces;
}

/** By what it says, or by its folder; within one memory. */
function subjectOf({ path, content: { fact } }: FactFile): string | undefined {
  const root = rootOf(path);
  if (root === undefined) return undefined;
  const folder = path.slice(root.length).split("/")[0];
  const key = subjectKey(fact?.subject) ?? (folder === "general" ? undefined : folder);
  return key === undefined ? undefined : root + key;
}

const wordsOf = ({ content: { fact } }: FactFile): string => spaced(fact!.text).toLowerCase();

/** A flood of contradictions takes no more of an answer than this for each match. */
const MOST_CONTRADICTIONS = 5;

/** The more trusted first, then the newer. */
function moreTrusted(one: FactFile, other: FactFile): number {
  if (isAsTrusted(one, other) !== isAsTrusted(other, one)) return isAsTrusted(one, other) ? -1 : 1;
  return other.writtenAt - one.writtenAt || (one.path < other.path ? -1 : 1);
}

interface FactScope {
  readonly segment: {
    readonly facts: FactRelations;
    rowsOf(path: string): readonly number[];
  };
  readonly isVisible?: Uint8Array | undefined;
  readonly mayRead?: MayRead;
}

interface FactMatch {
  readonly path: string;
  readonly kind: FoundKind;
  readonly score: number;
  readonly why: readonly {
    readonly feature: string;
    readonly says: string;
    readonly added: number;
  }[];
  readonly contradicts?: readonly RelatedFact[];
  readonly replacedBy?: RelatedFact;
}

/** What contradicts a match follows it, if the query's filters leave it; at most `limit` in all. */
export function relateFacts(
  matches: readonly FactMatch[],
  scope: readonly FactScope[],
  limit: number,
): FactMatch[] {
  const withFacts = scope.filter(({ segment }) => segment.facts.size > 0);
  if (withFacts.length === 0) return [...matches]; // FACT-RELATIONS-4
  const found = new Map<string, FactMatch>();
  for (const match of matches) {
    const others = contradictingIn(withFacts, match.path);
    found.set(match.path, { ...match, ...relationsOf(withFacts, match.path) });
    for (const { path } of others)
      if (!matches.some((one) => one.path === path) && !found.has(path))
        found.set(path, {
          path,
          kind: "fact",
          score: match.score,
          why: [{ feature: "subject", says: `says something else than ${match.path}`, added: 0 }],
          ...relationsOf(withFacts, path),
        });
  }
  return [...found.values()].slice(0, limit);
}

function contradictingIn(scope: readonly FactScope[], path: string): readonly FactFile[] {
  const isWanted = ({ segment, isVisible }: FactScope, one: FactFile): boolean =>
    isVisible === undefined || segment.rowsOf(one.path).some((row) => isVisible[row] === 1);
  return scope.flatMap((scoped) =>
    scoped.segment.facts
      .contradicting(path, scoped.mayRead)
      .filter((one) => isWanted(scoped, one))
      .sort(moreTrusted)
      .slice(0, MOST_CONTRADICTIONS),
  );
}

function relationsOf(
  scope: readonly FactScope[],
  path: string,
): Pick<FactMatch, "contradicts" | "replacedBy"> {
  const others = contradictingIn(scope, path);
  const [replacer] = scope.flatMap(
    ({ segment, mayRead }) => segment.facts.replacerOf(path, mayRead) ?? [],
  );
  return {
    ...(others.length === 0 ? {} : { contradicts: others.map(related) }),
    ...(replacer === undefined ? {} : { replacedBy: related(replacer) }),
  };
}

const related = ({ path, label }: FactFile): RelatedFact => ({ path, label });
