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
import type { Home } from "../home.ts";
import { readManifestFile } from "../manifest-file.ts";
import { omitUndefined } from "../omit-undefined.ts";
import type { ScriptFolders } from "../script-folders.ts";
import { withModel } from "./with-model.ts";

export interface SpawnPaths {
  readonly home: Home;
  readonly scripts: ScriptFolders;
  readonly trust: { readonly trusted: TrustLookup };
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
  { home, trust }: SpawnPaths,
  { agent, manifest, folder, cwd, tenant = DEFAULT_TENANT }: OperationArgs<"spawn">,
): ChosenAgent {
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
  return { agent: agent!, ...omitUndefined({ folder: folder ?? cwd }) };
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
