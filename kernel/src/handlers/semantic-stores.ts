// Semantic stores: the vector stores that are mounted below /mem/semantic, in a search of it. Each is asked as the
// mount that it is, and what it finds is ranked together with the agent's own facts.
//
// SEMANTIC-STORES-1  A store is asked only where the gate allows this process to read the mount now: by its grants, the
//     policy and what it has read. Otherwise the search goes on without it, and finds what it would find with no store.
// SEMANTIC-STORES-2  A plain search brings in nothing untrusted, of a store as of facts in quarantine: a store that is
//     not declared trusted is asked by `label: "untrusted"`.
// SEMANTIC-STORES-3  A store that fails is left out, and the record of the search says so.
// SEMANTIC-STORES-4  Whoever runs a store can see what it is asked: what is recorded so far is durable before.

import { SEMANTIC_MEMORY, type Json, type Label, type SyscallArgs, type Tool } from "@aos/protocol";
import { isAtMost, join, mayLeave } from "../label/label.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import type { OutsideFile } from "../vfs/outside-files.ts";
import { errorMessage, type DriverCall } from "./devices.ts";
import { runDriverTask } from "./driver-task.ts";
import type { FileServices } from "./services.ts";

type Search = SyscallArgs<"search">;

export interface StoreAnswer {
  readonly files: readonly OutsideFile[];
  /** Of what was found. */
  readonly label: Label;
  /** What was left out, for the record. */
  readonly verdict: string | undefined;
}

interface AskedStore {
  readonly tool: Tool;
  readonly root: string;
  readonly args: Json;
}

interface Hit {
  readonly path: string;
  readonly data: Json;
}

/** What the stores below /mem/semantic say to a search; undefined where there is none to ask. */
export async function searchStores(
  services: FileServices,
  asked: CallContext,
  search: Search,
): Promise<StoreAnswer | undefined> {
  const stores = storesToAsk(services, asked, search);
  if (stores.length === 0) return undefined;
  await services.journal.durable(); // SEMANTIC-STORES-4
  const egress = asked.toward(["egress"]);
  const found: (OutsideFile & { readonly of: Label })[] = [];
  const failed: string[] = [];
  asked.call.waitsOn = "tool";
  await runDriverTask(services, egress, asked.permit.timeoutMs ?? Infinity, {
    run: (work) =>
      Promise.all(
        stores.map(async ({ tool, root, args }) => {
          try {
            for (const touch of tool.touches(args, asked.process.place)) egress.authorize(touch);
            const hits = await hitsOf(services, { tool, args }, work);
            const of = tool.label!;
            found.push(...hits.map((hit) => ({ ...hit, label: of, writer: tool.name, of })));
          } catch (error) {
            work.signal.throwIfAborted();
            failed.push(`${root}: ${services.scrub(errorMessage(error))}`); // SEMANTIC-STORES-3
          }
        }),
      ),
    answer: () => ({ value: null }),
  });
  return {
    files: found,
    label: found.map(({ of }) => of).reduce(join, asked.process.label),
    verdict: failed.length === 0 ? undefined : `left out ${failed.sort().join("; ")}`,
  };
}

/** SEMANTIC-STORES-1, SEMANTIC-STORES-2. */
function storesToAsk(
  { devices }: FileServices,
  asked: CallContext,
  { path, also = [], query, limit, label = "mixed", kind, writer, since, until }: Search,
): AskedStore[] {
  if (![path, ...also].includes(SEMANTIC_MEMORY)) return [];
  // They know no writer and no time, and what they hold is no fact.
  if ([writer, since, until].some((one) => one !== undefined)) return [];
  if (kind !== undefined && kind !== "document") return [];
  if (!mayLeave(asked.process.label)) return [];
  const least: Label = { integrity: label, secrecy: "secret" };
  const egress = asked.toward(["egress"]);
  return devices
    .semanticStores(asked.process)
    .filter((store) => isAtMost(store.label, least))
    .map(({ name }) => {
      const root = `${SEMANTIC_MEMORY}/${name}`;
      const args: Json = { call: "search", path: root, query, ...(limit ? { limit } : {}) };
      return { tool: devices.connector(`mnt.${name}`, asked.process), root, args };
    })
    .filter(({ tool, args }) =>
      tool.touches(args, asked.process.place).every((touch) => egress.permits(touch)),
    );
}

async function hitsOf(
  { devices, platform }: FileServices,
  { tool, args }: Pick<AskedStore, "tool" | "args">,
  work: DriverCall,
): Promise<{ path: string; data: Json; text: string }[]> {
  const since = platform.now();
  try {
    const hits = (await tool.run(args, work)) as unknown as readonly Hit[];
    devices.health.note(tool.name, platform.now() - since);
    return hits.map(({ path, data }) => ({ path, data, text: textOf(data) }));
  } catch (error) {
    const at = platform.now();
    devices.health.note(tool.name, at - since, { at, message: errorMessage(error) });
    throw error;
  }
}

/** What a row of a vector store says. */
function textOf(data: Json): string {
  const text = (data as { readonly text?: Json } | null)?.text;
  return typeof text === "string" ? text : JSON.stringify(text ?? data);
}
