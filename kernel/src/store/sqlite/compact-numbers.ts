// CompactNumbers: numbers as bytes, exactly: small ones in one, three or five, all others in nine.

/** Up to here a number is its own byte; from here on, what is behind it. */
const INT16 = 0xfd;
const INT32 = 0xfe;
const FLOAT64 = 0xff;

export class NumberWriter {
  #view = new DataView(new ArrayBuffer(8192));
  #at = 0;

  get isEmpty(): boolean {
    return this.#at === 0;
  }

  write(number: number): void {
    if (this.#at + 9 > this.#view.byteLength) this.#grow();
    const view = this.#view;
    if (number >>> 0 !== number) {
      view.setUint8(this.#at, FLOAT64);
      view.setFloat64(this.#at + 1, number);
      this.#at += 9;
    } else if (number < INT16) {
      view.setUint8(this.#at, number);
      this.#at += 1;
    } else if (number <= 0xffff) {
      view.setUint8(this.#at, INT16);
      view.setUint16(this.#at + 1, number);
      this.#at += 3;
    } else {
      view.setUint8(this.#at, INT32);
      view.setUint32(this.#at + 1, number);
      this.#at += 5;
    }
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#view.byteLength);
    larger.set(new Uint8Array(this.#view.buffer));
    this.#view = new DataView(larger.buffer);
  }

  /** What was written, good until more is; it is empty then. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.#view.buffer, 0, this.#at);
    this.#at = 0;
    return bytes;
  }

  clear(): void {
    this.#at = 0;
  }
}

/** A `RangeError` where there is no more. */
export class NumberReader {
  readonly #view: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#view.byteLength;
  }

  read(): number {
    const view = this.#view;
    const first = view.getUint8(this.#at++);
    if (first < INT16) return first;
    const at = this.#at;
    if (first === INT16) {
      this.#at += 2;
      return view.getUint16(at);
    }
    if (first === INT32) {
      this.#at += 4;
      return view.getUint32(at);
    }
    this.#at += 8;
    return view.getFloat64(at);
  }
}
