// SkillMount: /skills of a process and its instructions (AGENTS.md), from a provider.
//
// SKILLS-1  A process sees only the skills that its manifest names.
// SKILLS-2  They are trusted like the manifest, except parts written by processes, which have their writer's label.

import {
  isNamed,
  SysError,
  type Label,
  type Manifest,
  type SkillCard,
  type SkillProvider,
  type ToolScope,
} from "@aos/protocol";
import { CLEAN, join } from "../label/label.ts";
import type { ResourceLabels } from "../label/resource-labels.ts";

const SKILLS = "/skills";
const ENTRY = "SKILL.md";

const EMPTY: SkillProvider = {
  cards: async () => [],
  files: async () => undefined,
  read: async () => undefined,
};

interface Reader {
  readonly manifest: Pick<Manifest, "skills">;
  readonly scope: ToolScope;
}

export interface SkillInstructions {
  readonly text: string;
  readonly label: Label;
  /** The skill, and the tools that are left to who has read this. */
  readonly narrows?: { readonly skill: string; readonly tools: readonly string[] };
}

export class SkillMount {
  readonly #provider: SkillProvider;
  readonly #marks: Pick<ResourceLabels, "of">;

  constructor(provider: SkillProvider | undefined, marks: Pick<ResourceLabels, "of">) {
    this.#provider = provider ?? EMPTY;
    this.#marks = marks;
  }

  /** SKILLS-1. */
  async cards(reader: Reader): Promise<{ cards: readonly SkillCard[]; label: Label }> {
    const names = reader.manifest.skills ?? [];
    if (names.length === 0) return { cards: [], label: CLEAN };
    const cards = (await this.#provider.cards(reader.scope)).filter(({ name }) =>
      isNamed(name, names),
    );
    return { cards, label: await this.#labelOf(cards.flatMap(({ places }) => places)) };
  }

  /** The paths below a path: every skill, or the files of one. */
  async list(reader: Reader, path: string): Promise<{ paths: readonly string[]; label: Label }> {
    if (path === SKILLS) {
      const { cards, label } = await this.cards(reader);
      return { paths: cards.map(({ name }) => `${SKILLS}/${name}/${ENTRY}`), label };
    }
    const { name, rest } = parted(path);
    const files = isShown(reader, name)
      ? await this.#provider.files(reader.scope, name)
      : undefined;
    if (files === undefined) throw absent(path);
    const { label } = await this.cards(reader); // names are words too
    const below = rest === "" ? files : files.filter((file) => file.startsWith(`${rest}/`));
    return { paths: below.map((file) => `${SKILLS}/${name}/${file}`), label };
  }

  async read(reader: Reader, path: string): Promise<SkillInstructions> {
    const { name, rest } = parted(path);
    const found =
      rest !== "" && isShown(reader, name)
        ? await this.#provider.read(reader.scope, name, rest)
        : undefined;
    if (found === undefined) throw absent(path);
    const { text, places, allowedTools } = found;
    const label = await this.#labelOf(places);
    return allowedTools === undefined
      ? { text, label }
      : { text, label, narrows: { skill: name, tools: allowedTools } };
  }

  /** The texts, the farthest first; SKILLS-2. */
  async instructions({
    scope,
  }: Pick<Reader, "scope">): Promise<{ texts: readonly string[]; label: Label }> {
    const files = (await this.#provider.instructions?.(scope)) ?? [];
    const label = await this.#labelOf(files.flatMap(({ places }) => places));
    return { texts: files.map(({ text }) => text), label };
  }

  /** SKILLS-2. */
  async #labelOf(places: readonly string[]): Promise<Label> {
    const touches = places.map((resource) => ({ kind: "file", resource, verb: "read" }));
    const marked = await this.#marks.of(touches);
    return marked === undefined ? CLEAN : join(CLEAN, marked);
  }
}

const isShown = ({ manifest }: Reader, name: string): boolean =>
  isNamed(name, manifest.skills ?? []);

function parted(path: string): { name: string; rest: string } {
  const [name = "", ...rest] = path.slice(SKILLS.length + 1).split("/");
  return { name, rest: rest.join("/") };
}

const absent = (path: string): SysError =>
  new SysError("ENOENT", `there is no file ${path}`, {
    hint: 'a process sees the skills that its manifest names: list("/skills") says which there are',
  });
