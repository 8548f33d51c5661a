// RetainedSecrecy: a program that outlives a call remembers what it was told in it, and may tell the next caller:
// a server that runs for everybody, a browser with its pages.
//
//   const kept = new RetainedSecrecy();
//   kept.joinInto(context);             before the caller is told anything
//   kept.hear(context.hasRead);         what it was told with the call
//   kept.forget();                      it was started anew
//
// RETAINED-SECRECY-1  How secret something was when it was told is joined into everything that is told
//     afterwards.
// RETAINED-SECRECY-2  Whom to trust is not: what a program says has the label of its tool, which is the
//     operator's word on it.

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
