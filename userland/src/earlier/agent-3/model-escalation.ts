// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// ModelEscalation: the models of a manifest in order. An event named in `escalate_on` switches the agent to the next
// model; every recorded request names its model.
//
// MODEL-ESCALATION-1  The agent never switches back.
// MODEL-ESCALATION-2  Only events that the manifest names switch the model.

import { type Escalation, type Manifest, SysError } from "@aos/protocol";

export class ModelEscalation {
  readonly #models: readonly string[];
  readonly #reasons: ReadonlySet<Escalation>;
  #rung: number;

  constructor({ name, model, escalate_on = [] }: LadderText, rung = 0) {
    this.#models = model === undefined ? [] : [model].flat();
    this.#reasons = new Set(escalate_on);
    this.#rung = rung;
    if (this.#models.length > 0) return;
    throw new SysError("EINVAL", `the manifest of ${name} names no model`, {
      hint: "add `model: provider/name` to it, for instance `model: scripted/hello`",
    });
  }

  get model(): string {
    return this.#models[this.#rung]!;
  }

  get rung(): number {
    return this.#rung;
  }

  canClimb(why: Escalation): boolean {
    return this.#reasons.has(why) && this.#rung + 1 < this.#models.length;
  }

  /** One rung, where there is one for this; says whether it did. */
  climb(why: Escalation): boolean {
    const can = this.canClimb(why);
    if (can) this.#rung += 1;
    return can;
  }
}

type LadderText = Pick<Manifest, "name" | "model" | "escalate_on">;
