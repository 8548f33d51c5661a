// RetainedSecrecy: a program that outlives a call (a shared server, a browser) may remember what it received and
// reveal it to the next caller.
//
//   const kept = new RetainedSecrecy();
//   kept.joinInto(context);             before the caller receives anything
//   kept.hear(context.hasRead);         what it received with the call
//   kept.forget();                      after a restart
//
// RETAINED-SECRECY-1  The secrecy of everything it received is joined into all later results.
// RETAINED-SECRECY-2  Integrity is not: the output of a program has the label of its tool, which the operator
//     decides.

import { type DeviceContext, type Label, secrecies, type Secrecy } from "@aos/protocol";

export class RetainedSecrecy {
  #secrecy: Secrecy = "public";

  /** RETAINED-SECRECY-1. */
  joinInto(context: Pick<DeviceContext, "sees">): void {
    if (this.#secrecy !== "public") context.sees({ integrity: "trusted", secrecy: this.#secrecy });
  }

  /** RETAINED-SECRECY-2. */
  hear({ secrecy }: Label): void {
    if (secrecies.indexOf(secrecy) > secrecies.indexOf(this.#secrecy)) this.#secrecy = secrecy;
  }

  forget(): void {
    this.#secrecy = "public";
  }
}
