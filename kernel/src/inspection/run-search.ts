// Run search: finds texts in the runs of a tenant by words and meaning, each with its record.
//
// RUN-SEARCH-1  Only durable records are searched, and all that were durable before the request (RUN-INDEX-2).
// RUN-SEARCH-2  What is shown is in its journal at that moment: what retention or a person removed since is not found.
// RUN-SEARCH-3  Filters apply before anything is counted, as in memory.

import {
  DEFAULT_TENANT,
  SysError,
  type FoundRunWords,
  type ProcessId,
  type RunSearchQuery,
  type RunSearchReport,
} from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import { parseRecord } from "../journal/record-text.ts";
import { CLEAN } from "../label/label.ts";
import type { MemoryMatch, MemorySearch } from "../memory/memory-search.ts";
import {
  spokenPartsOf,
  placeInRun,
  type RunIndex,
  type RunsOfTenant,
} from "../memory/run-index.ts";
import { runWordsIn } from "../memory/run-words.ts";
import type { Platform } from "../platform/clock.ts";
import type { Store } from "../store/contract.ts";
import type { OpenedStore } from "../store/mail-reports.ts";

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly memory: MemorySearch;
  readonly runs: RunIndex;
}

const USUAL_LIMIT = 10;
/** Most texts to embed: more would take hours on a machine with a long history. */
const MOST_VECTORS = 5000;
/** Each time something that was found is there no more. */
const MOST_ATTEMPTS = 5;

export async function searchRuns(
  parts: Parts,
  { query, tenant: name = DEFAULT_TENANT, limit = USUAL_LIMIT, ...filters }: RunSearchQuery,
): Promise<RunSearchReport> {
  const { store, journal, platform, memory, runs } = parts;
  const tenant = await store.findTenant(name);
  if (tenant === undefined && name !== DEFAULT_TENANT)
    throw new SysError("ENOENT", `unknown tenant ${name}`, {
      hint: "`aos tenant ls` lists the tenants",
    });
  if (tenant === undefined) return { found: [], tenant: name, searchedBy: "text", since: null };
  await journal.durable(); // RUN-SEARCH-1
  const index = await runs.of(tenant);
  for (let attempt = 1; ; attempt++) {
    const { found, searchedBy } = await memory.findIn(
      [
        {
          loaded: { tenant, current: () => [index.segment], mostVectors: MOST_VECTORS },
          label: filters.label,
          mayRead: ofAgent(index, filters.agent),
        },
      ],
      {
        query,
        limit: 2 * limit, // an answer is often said twice: to its program, and at the end
        unit: "passage",
        nowMs: platform.now(),
        askedBy: CLEAN,
        since: filters.sinceMs,
        until: filters.untilMs,
        writer: filters.pid,
      },
    );
    const shown: FoundRunWords[] = [];
    for (const match of found) shown.push(...(await wordsOfMatch(parts, index, match)));
    if (shown.length < found.length && attempt < MOST_ATTEMPTS) continue; // RUN-SEARCH-2
    const { isWhole, since } = index;
    return {
      found: eachOnce(shown).slice(0, limit),
      tenant: name,
      searchedBy,
      since: isWhole || since === null ? null : new Date(since).toISOString(),
    };
  }
}

/** What a run has said several times counts once: where it fits best. */
function eachOnce(found: readonly FoundRunWords[]): FoundRunWords[] {
  const said = new Set<string>();
  return found.filter(({ pid, text }) => {
    const isNew = !said.has(`${pid} ${text}`);
    said.add(`${pid} ${text}`);
    return isNew;
  });
}

/** RUN-SEARCH-3. */
const ofAgent = (
  { agents }: RunsOfTenant,
  agent: string | undefined,
): ((path: string) => boolean) | undefined =>
  agent === undefined ? undefined : (path) => agents.get(placeInRun(path).pid) === agent;

/** RUN-SEARCH-2. None where the journal does not say it any more. */
async function wordsOfMatch(
  { store, runs }: Parts,
  index: RunsOfTenant,
  { path, score, why }: MemoryMatch,
): Promise<FoundRunWords[]> {
  const { pid, seq, part } = placeInRun(path);
  const file = index.segment.fileOf(path);
  const passage = file?.content.passages[0];
  if (file === undefined || passage === undefined) return [];
  const process = await store.process(pid);
  if (process === undefined || process.compacted) {
    runs.forgetRun(index, pid);
    return [];
  }
  const [row] = await store.records(process.key, { after: seq - 1, upTo: seq });
  const speaker = passage.author ?? "";
  const said =
    row === undefined
      ? undefined
      : await runWordsIn(parseRecord(row.text), {
          agent: process.agent,
          toolOf: () => speaker,
          fetch: (digest) => store.blob(process.tenant, digest),
        }).catch(() => undefined);
  const text = said === undefined ? undefined : spokenPartsOf(said.text)[part];
  if (text !== passage.text) {
    index.segment.remove(path);
    return [];
  }
  return [
    {
      pid: pid as ProcessId,
      seq,
      agent: process.agent,
      speaker,
      at: new Date(file.writtenAt).toISOString(),
      text,
      score,
      label: file.label,
      why: why.map((reason) => ({ ...reason })),
    },
  ];
}
