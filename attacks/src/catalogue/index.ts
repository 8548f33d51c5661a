// The catalogue: every attack, by group.

import { addresses } from "./addresses.ts";
import { agentMemory } from "./agent-memory.ts";
import { approvals } from "./approvals.ts";
import { ceilings } from "./ceilings.ts";
import { chains } from "./chains.ts";
import { endorsement } from "./endorsement.ts";
import { figures } from "./figures.ts";
import { floodAttacks } from "./floods.ts";
import { forgedRows } from "./forged-rows.ts";
import { forgedSettings } from "./forged-settings.ts";
import { labels } from "./labels.ts";
import { laundering } from "./laundering.ts";
import { links } from "./links.ts";
import { marks } from "./marks.ts";
import { modes } from "./modes.ts";
import { paths } from "./paths.ts";
import { patterns } from "./patterns.ts";
import { power } from "./power.ts";
import { protocol } from "./protocol.ts";
import { revocation } from "./revocation.ts";
import type { AttackGroup, AttackRow } from "./row.ts";
import { sandbox } from "./sandbox.ts";
import { scrubbing } from "./scrubbing.ts";
import { restartAttacks } from "./restarts.ts";
import { secrecy } from "./secrecy.ts";
import { secretSinks } from "./secret-sinks.ts";
import { secrets } from "./secrets.ts";
import { standing } from "./standing.ts";
import { tampering } from "./tampering.ts";
import { tenants } from "./tenants.ts";
import { tokens } from "./tokens.ts";
import { urls } from "./urls.ts";
import { whatRuns } from "./what-runs.ts";

export type { AttackGroup, AttackRow } from "./row.ts";

export const attackGroups: readonly AttackGroup[] = [
  { letter: "A", name: "paths", rows: paths },
  { letter: "B", name: "links", rows: links },
  { letter: "C", name: "patterns and grammar", rows: patterns },
  { letter: "D", name: "URLs, redirects, addresses", rows: [...urls, ...addresses] },
  {
    letter: "E",
    name: "handles, chains, counters, revocation",
    rows: [...chains, ...revocation, ...tokens],
  },
  {
    letter: "F",
    name: "policy, labels, approvals",
    rows: [...labels, ...approvals, ...standing, ...whatRuns],
  },
  {
    letter: "G",
    name: "laundering, forks, tenants",
    rows: [...laundering, ...restartAttacks, ...tenants, ...marks, ...ceilings],
  },
  { letter: "H", name: "secrets and scrubbing", rows: [...secrets, ...scrubbing, ...secretSinks] },
  { letter: "I", name: "programs that break the protocol", rows: [...protocol, ...floodAttacks] },
  { letter: "J", name: "modes, rates, sequences", rows: modes },
  { letter: "K", name: "tampering", rows: [...tampering, ...forgedRows, ...forgedSettings] },
  { letter: "L", name: "endorsement", rows: endorsement },
  { letter: "M", name: "sandbox escapes", rows: [...sandbox, ...secrecy] },
  { letter: "N", name: "reported usage and prices", rows: figures },
  { letter: "O", name: "memory of agents", rows: agentMemory },
  { letter: "T", name: "power files and untrusted folders", rows: power },
];

export const attackRows: readonly AttackRow[] = attackGroups.flatMap(({ rows }) => rows);
