// StopRequest: SIGUSR2 of a person who does not want the work on a message to go on (AGENT-SESSION-4).

import type { Sys } from "@aos/protocol";

export class StopRequest {
  #isMade = false;

  get isMade(): boolean {
    return this.#isMade;
  }

  /** Before every message: a program that begins at a checkpoint makes the same call. */
  listen(sys: Sys): Promise<void> {
    return sys.handle("SIGUSR2", () => {
      this.#isMade = true;
    });
  }

  /** One that came while nothing was done is about nothing. */
  forget(): void {
    this.#isMade = false;
  }
}
