// Handlers of operations about drafts of skills. A model that words a draft is asked by a process of the program `ask`:
// the gate judges it, its budget holds, and the journal has it.
//
// SKILL-DRAFT-HANDLERS-1  A draft of a run that read untrusted data is approved by the digest of the text that was read.
// SKILL-DRAFT-HANDLERS-2  Skills of the home are everyone's: the run of another tenant is no material for them.
// SKILL-DRAFT-HANDLERS-3  Who approved or rejected what is in the ledger before it is done.

import {
  DEFAULT_TENANT,
  SysError,
  type SkillDraftReport,
  type skillDraftOperations,
} from "@aos/protocol";
import { DraftFolder, type SkillDraft } from "../../skills/draft-folder.ts";
import {
  draftRequest,
  isRed,
  draftedTaskOf,
  readDraftWords,
  skillNameOf,
  skillTextOf,
  wordsByRules,
  type DraftedTask,
  type DraftWords,
} from "../../skills/skill-draft.ts";
import type { GatewayContext, OperationCall } from "../gateway-context.ts";
import { labelOf } from "../read-spawn.ts";
import { runToEnd } from "../run-to-end.ts";
import type { HandlersOf } from "./handler.ts";

const USUAL_USD = 0.5;
const MOST_WAIT_MS = 300_000;
const ANSWER_TOKENS = 4000;

const draftsOf = ({ home }: GatewayContext): DraftFolder => new DraftFolder(home.skillDrafts);

export const skillDraftHandlers: HandlersOf<typeof skillDraftOperations> = {
  async draftSkill(gateway, { pid, name, model, usd }, call) {
    const { kernel } = gateway;
    if (usd !== undefined && model === undefined)
      throw new SysError("EINVAL", "`usd` limits what a model may cost, and no model is named");
    const { tenant, agent, labels } = await kernel.show(pid);
    if (tenant !== DEFAULT_TENANT)
      throw new SysError("EINVAL", `${pid} is of the tenant ${tenant}, and skills are everyone's`, {
        hint: "write a skill of its project by hand: docs/skills.md",
      }); // SKILL-DRAFT-HANDLERS-2
    const run = { pid, agent, label: `${labels.integrity}/${labels.secrecy}` };
    const material = draftedTaskOf(run, await kernel.journal(pid));
    const byRules = wordsByRules(material);
    const byModel =
      model === undefined
        ? undefined
        : await wordsByModel(gateway, { model, usd, material, byRules }, call);
    const text = skillTextOf(
      name ?? skillNameOf(material),
      material,
      byModel ?? byRules,
      byModel === undefined ? "rules" : model!,
    );
    const draft = await draftsOf(gateway).put(name ?? skillNameOf(material), text);
    return reportOf(draft);
  },

  async skillDrafts(gateway) {
    return (await draftsOf(gateway).all()).map(reportOf);
  },

  async skillDraft(gateway, { name }) {
    return reportOf(await draftsOf(gateway).one(name));
  },

  async approveSkillDraft(gateway, { name, digest }, { caller }) {
    const { kernel, home, skills } = gateway;
    const drafts = draftsOf(gateway);
    const draft = await drafts.one(name);
    const report = reportOf(draft);
    mustBeRead(report, digest);
    const taken = (await skills.all({ tenant: DEFAULT_TENANT, folders: [] })).find(
      (one) => one.name === name,
    );
    if (taken !== undefined)
      throw new SysError("EEXIST", `there is a skill ${name} already, of the ${taken.source}`, {
        hint: "draft it again with --name",
      });
    const { run, label } = report;
    await kernel.enter("skill.approve", caller.name, { name, digest: draft.digest, run, label }); // SKILL-DRAFT-HANDLERS-3
    const folder = await drafts.approve(draft, home.skills);
    return { name, folder, digest: draft.digest };
  },

  async rejectSkillDraft(gateway, { name }, { caller }) {
    const drafts = draftsOf(gateway);
    const draft = await drafts.one(name);
    const { run, digest } = reportOf(draft);
    await gateway.kernel.enter("skill.reject", caller.name, { name, digest, run });
    await drafts.reject(draft);
    return { name, digest };
  },
};

/** SKILL-DRAFT-HANDLERS-1. */
function mustBeRead(
  { name, digest, isUntrusted }: SkillDraftReport,
  read: string | undefined,
): void {
  if (read === undefined && isUntrusted)
    throw new SysError("EINVAL", `${name} was made from untrusted data: read it first`, {
      hint: `aos skill drafts ${name}; then aos skill approve ${name} --digest ${digest}`,
    });
  if (read !== undefined && read !== digest)
    throw new SysError("ESTATE", `${name} is not what was read: its digest is ${digest}`);
}

interface ModelWording {
  readonly model: string;
  readonly usd: number | undefined;
  readonly material: DraftedTask;
  readonly byRules: DraftWords;
}

/** Undefined where the model's answer cannot be used. */
async function wordsByModel(
  gateway: GatewayContext,
  { model, usd = USUAL_USD, material, byRules }: ModelWording,
  call: OperationCall,
): Promise<DraftWords | undefined> {
  const { output } = await runToEnd(
    gateway,
    {
      agent: "skill-draft",
      program: "ask",
      input: { model, text: draftRequest(material, byRules), maxTokens: ANSWER_TOKENS },
      capabilities: [`model:${model}:infer`],
      what: "the draft",
      label: labelOf(material.run.label),
      budget: { usd },
      timeoutMs: MOST_WAIT_MS,
    },
    call,
  );
  return readDraftWords((output as { text?: string } | null)?.text ?? "");
}

function reportOf({ name, folder, skill, problems, text, digest }: SkillDraft): SkillDraftReport {
  const { run, agent, records, label = "", "made-by": madeBy } = skill?.metadata ?? {};
  return {
    name,
    description: skill?.description ?? "",
    folder,
    run: run ?? null,
    agent: agent ?? null,
    records: records ?? null,
    label: label === "" ? null : label,
    isUntrusted: isRed(label),
    madeBy: madeBy ?? null,
    digest,
    problems: [...problems],
    text,
  };
}
