// read and list below /policy: what binds the process, as JSON and in words.
//
//   /policy/grants    what it holds: every block of a chain must allow
//   /policy/rules     the layers of policy that it is judged by
//   /policy/summary   both, in words

import type { Json, Label } from "@aos/protocol";
import { type CapabilityBlock, formatCapability } from "../capability/index.ts";
import { labelText } from "../label/label.ts";
import { labelOfWords } from "../process/block-label.ts";
import { narrowingOf } from "../process/narrowing.ts";
import type { Process } from "../process/process.ts";
import type { FileServices } from "./services.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const POLICY = "/policy";

const views: Readonly<Record<string, (services: FileServices, process: Process) => Json>> = {
  grants: (_services, process) => grantsOf(process),
  rules: ({ rulesFor }, process) => rulesFor(process) as Json,
  summary: (services, process) => summaryOf(services, process),
};

export const policyFiles: VirtualFiles = {
  list(_services, _process, path) {
    if (path !== POLICY) throw absentFile(path, POLICY);
    return { value: Object.keys(views).map((name) => `${POLICY}/${name}`) };
  },
  read(services, process, path, piece) {
    const name = path.slice(POLICY.length + 1);
    const view = Object.hasOwn(views, name) ? views[name] : undefined;
    if (view === undefined) throw absentFile(path, POLICY);
    const words: Label | undefined = labelOfWords(process); // those of whoever granted
    const value = wholeOrPiece(view(services, process), piece);
    return words === undefined ? { value } : { value, label: words };
  },
};

function grantsOf(process: Process): Json[] {
  return [...process.holdings].map(({ handle, block }) => ({
    handle: handle === "" ? "birth" : handle,
    capabilities: block.caps.map(formatCapability),
    within: ancestorsOf(block).map((one) => one.caps.map(formatCapability)),
    expiresAt: block.expiresAt === Infinity ? null : (block.expiresAt ?? null),
  }));
}

/** The blocks above one, each of which must allow too; the operator's ceiling is the last. */
function ancestorsOf(block: CapabilityBlock): CapabilityBlock[] {
  const all: CapabilityBlock[] = [];
  for (let one = block.parent; one !== null; one = one.parent) all.push(one);
  return all;
}

function summaryOf({ rulesFor }: FileServices, process: Process): string {
  const rules = rulesFor(process);
  const held = [...process.holdings].flatMap(({ block }) => block.caps.map(formatCapability));
  const narrowing = narrowingOf(process);
  return [
    `${process.row.agent} (${process.pid}) has read ${labelText(process.label)} data.`,
    held.length === 0
      ? "It holds no capability: what is its own is all that it may read."
      : `It holds ${held.length} ${held.length === 1 ? "capability" : "capabilities"}:`,
    ...held.map((text) => `  ${text}`),
    ...narrowing.map(
      ({ skill, tools }) =>
        `The skill ${skill} leaves it these tools: ${tools.join(" ") || "none"}.`,
    ),
    `Its calls are judged by ${rules.length} ${rules.length === 1 ? "layer" : "layers"} of policy; deny wins over ask, and ask over allow:`,
    ...rules.map((layer) => `  ${wordsOf(layer)}`),
    "A refused call says which rule or grant refused it, and the smallest grant that would help.",
  ].join("\n");
}

function wordsOf(layer: Json): string {
  const { name, origin, rules } = layer as { name?: string; origin?: string; rules?: Json[] };
  const from = origin === undefined ? "" : ` (${origin})`;
  return `${name ?? "a layer"}${from}: ${rules?.length ?? 0} rules`;
}
