// Memory space: the long-term memory of one agent. Below /mem/semantic and /mem/episodic a process sees its own;
// everybody's is below /mem/agents/SPACE.
//
//   storedPath("/mem/semantic/port", "researcher")                    "/mem/agents/researcher/semantic/port"
//   judgedPath("/mem/agents/researcher/semantic/port", "researcher")  "/mem/semantic/port": its own
//
// MEMORY-SPACE-1  One file has one stored path, and for one process one judged path: no second spelling has other
//     rights.
// MEMORY-SPACE-2  The space of a process that is of no space is the tenant's: processes of releases before there were
//     spaces go on with what they had, and their files stay where they are stored.

/** The folder of the spaces. */
export const AGENT_MEMORY = "/mem/agents";

/** The memory from before there were spaces. No agent can have this name. */
export const TENANT_SPACE = "_tenant";

/** The parts of a space. */
export const SPACE_PARTS = ["semantic", "episodic"] as const;
export type SpacePart = (typeof SPACE_PARTS)[number];

const BELOW = `${AGENT_MEMORY}/`;
const OF_TENANT = `${BELOW}${TENANT_SPACE}/`;

const isPart = (rest: string): boolean =>
  SPACE_PARTS.some((part) => rest === part || rest.startsWith(`${part}/`));

/** Where a path of a process is kept (MEMORY-SPACE-1). */
export function storedPath(path: string, space: string = TENANT_SPACE): string {
  if (!path.startsWith("/mem/")) return path;
  const rest = path.slice("/mem/".length);
  if (isPart(rest)) return space === TENANT_SPACE ? path : `${BELOW}${space}/${rest}`;
  if (path.startsWith(OF_TENANT) && isPart(path.slice(OF_TENANT.length)))
    return `/mem/${path.slice(OF_TENANT.length)}`;
  return path;
}

/** What a right to a path is held against: its own memory by its short name (MEMORY-SPACE-1). */
export function judgedPath(path: string, space: string = TENANT_SPACE): string {
  if (!path.startsWith(BELOW)) return path;
  const rest = path.slice(BELOW.length + space.length + 1);
  return path.startsWith(`${BELOW}${space}/`) && isPart(rest) ? `/mem/${rest}` : path;
}

/** The path of a space, or of a part of it, for everybody. */
export const spacePath = (space: string, part: SpacePart): string => `${BELOW}${space}/${part}`;

/** Whether a path is of the memory of agents, whoever asks. */
export const isAgentMemory = (path: string): boolean =>
  path === AGENT_MEMORY || path.startsWith(BELOW);

/** Whether a pattern that covers a path may mean it: the memory of agents only by name, not by a wider pattern. */
export const reachesSpace = (pattern: string, path: string): boolean =>
  !isAgentMemory(path) || pattern.startsWith(BELOW);

/** Whether a path of a process is in the facts of an agent, its own or another's. */
export const isSemantic = (path: string): boolean =>
  /^\/mem\/(agents\/[^/]+\/)?semantic(\/|$)/.test(path);
