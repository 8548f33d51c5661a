// Resolves a spawn request: a manifest in the request, an agent of the caller's project or of the home, or a program
// of the kernel.

import { readLabel, type SpawnRequest } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  integrities,
  type Label,
  type OperationArgs,
  secrecies,
  SysError,
  type TrustLookup,
} from "@aos/protocol";
import { agentFolders, findAgent, refuseUntrusted } from "../agents.ts";
import type { Config } from "../config.ts";
import { TEAM, teamManifestOf } from "../goals/team-manifest.ts";
import type { Home } from "../home.ts";
import { readManifestFile } from "../manifest-file.ts";
import { omitUndefined } from "../omit-undefined.ts";
import { rolesNamed } from "../roles/role-registry.ts";
import type { ScriptFolders } from "../script-folders.ts";
import { withModel } from "./with-model.ts";

export interface SpawnPaths {
  readonly home: Home;
  readonly scripts: ScriptFolders;
  readonly trust: { readonly trusted: TrustLookup };
  readonly config: Pick<Config, "goals">;
}

type ChosenAgent = Pick<SpawnRequest, "agent" | "manifest" | "folder" | "registeredAs">;

export function readSpawn(places: SpawnPaths, args: OperationArgs<"spawn">): SpawnRequest {
  const { input, tenant, capabilities, budget, workspace, name, lane, deadlineMs, ttl } = args;
  const chosen = asModel(
    asPersistent(chooseAgent(places, args), args.persistent === true),
    args.model,
  );
  if (chosen.folder !== undefined) places.scripts.see(chosen.folder);
  return {
    ...omitUndefined(chosen),
    ...omitUndefined({ input, tenant, capabilities, workspace, label: labelOf(args.label) }),
    ...omitUndefined({ name, lane, deadlineMs }),
    ...(budget === undefined ? {} : { budget: omitUndefined(budget) }),
    ...(ttl === undefined ? {} : { ttl: omitUndefined(ttl) }),
  };
}

function chooseAgent(
  places: SpawnPaths,
  { agent, manifest, folder, cwd, tenant = DEFAULT_TENANT, model }: OperationArgs<"spawn">,
): ChosenAgent {
  const { home, trust } = places;
  if ((agent === undefined) === (manifest === undefined)) {
    throw new SysError("EINVAL", "pass either the agent's name or its manifest");
  }
  if (manifest !== undefined) {
    const { written } = readManifestFile(manifest.text, manifest.file);
    return { manifest: written, ...omitUndefined({ folder }) };
  }
  const found = findAgent(agent!, agentFolders(home, trust.trusted, { cwd, tenant }));
  if (found !== undefined)
    return {
      manifest: found.written,
      folder: found.folder,
      ...(found.folder === home.agents ? { registeredAs: agent! } : {}),
    };
  refuseUntrusted(agent!, cwd);
  if (agent === TEAM) return teamFor(places, { cwd, tenant, model });
  return { agent: agent!, ...omitUndefined({ folder: folder ?? cwd }) };
}

/** The agent that ships: its roles are those of the caller. */
function teamFor(
  places: SpawnPaths,
  { cwd, tenant, model }: Pick<OperationArgs<"spawn">, "cwd" | "tenant" | "model">,
): ChosenAgent {
  const { goals } = places.config;
  const models = model === undefined ? goals.model : [model];
  if (models === undefined || models.length === 0)
    throw new SysError("EINVAL", `${TEAM} has no model`, {
      hint: "name one: --model PROVIDER/MODEL, or goals.model in config.yaml",
    });
  const roles = rolesNamed(places, { cwd, tenant }, goals.roles);
  return {
    manifest: teamManifestOf({ roles, model: models, capabilities: goals.capabilities }),
    ...omitUndefined({ folder: cwd }),
  };
}

/** With what `aos chat` asks for: only the agent program answers one message after another. */
function asPersistent(chosen: ChosenAgent, isPersistent: boolean): ChosenAgent {
  if (!isPersistent) return chosen;
  const { manifest, agent } = chosen;
  const { program, command, kind } = (manifest ?? {}) as Readonly<Record<string, unknown>>;
  const isAgent = command === undefined && (program === undefined || program === "agent");
  if (manifest === undefined || !isAgent || kind === "Pipe")
    throw new SysError("EINVAL", `${agent ?? "a program of its own"} holds no conversation`, {
      hint: "name an agent with a model (aos agent ls); a program receives messages by: aos send",
    });
  return { ...chosen, manifest: { ...manifest, persistent: true } };
}

function asModel(chosen: ChosenAgent, model: string | undefined): ChosenAgent {
  if (model === undefined) return chosen;
  if (chosen.manifest === undefined)
    throw new SysError("EINVAL", `${chosen.agent ?? "a program"} has no manifest to change`, {
      hint: "name an agent with a model (aos agent ls), or its file",
    });
  return { ...chosen, manifest: withModel(chosen.manifest, model) };
}

/** A label as people write it: `untrusted/confidential`. */
export function labelOf(text: string | undefined): Label | undefined {
  if (text === undefined) return undefined;
  try {
    return readLabel(text);
  } catch {
    throw new SysError("EINVAL", `unknown label ${JSON.stringify(text)}`, {
      hint: `write ${integrities.join("|")}, a slash, and ${secrecies.join("|")}`,
    });
  }
}
