// Random numbers, bit for bit those of the Python package: NumPy's SFC64 and its seeding, RandomState.randint, and the shuffle of
// `novikoff.learn.orders`. (C. Doty-Humphrey's SFC64; M. E. O'Neill's seed sequence; D. Lemire 2019 for numbers below a bound.)

const MASK = 0xffffffffffffffffn;
const cut = (/** @type {bigint} */ value) => value & MASK;

/** Four numbers of 32 bits that a seed is spread over. @param {number} seed */
function pool(seed) {
  const words = seed > 0xffffffff ? [seed >>> 0, Math.floor(seed / 2 ** 32)] : [seed >>> 0];
  let constant = 0x43b0d7e5;
  const hashed = (/** @type {number} */ value) => {
    let mixed = (value ^ constant) >>> 0;
    constant = Math.imul(constant, 0x931e8875) >>> 0;
    mixed = Math.imul(mixed, constant) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const found = [0, 1, 2, 3].map((k) => hashed(words[k] ?? 0));
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) {
      if (from === to) continue;
      const mixed = (Math.imul(0xca01f9dd, found[to]) - Math.imul(0x4973f715, hashed(found[from]))) >>> 0;
      found[to] = (mixed ^ (mixed >>> 16)) >>> 0;
    }
  }
  return found;
}

/** Numbers of 64 bits that a seed stands for. @param {number} seed @param {number} count @returns {bigint[]} */
function seeded(seed, count) {
  const spread = pool(seed);
  let constant = 0x8b51f9dd;
  const words = Array.from({ length: 2 * count }, (_, k) => {
    let value = (spread[k % 4] ^ constant) >>> 0;
    constant = Math.imul(constant, 0x58f38ded) >>> 0;
    value = Math.imul(value, constant) >>> 0;
    return BigInt((value ^ (value >>> 16)) >>> 0);
  });
  return Array.from({ length: count }, (_, k) => words[2 * k] | (words[2 * k + 1] << 32n));
}

/** NumPy's `Generator(SFC64(seed))`. */
export class Generator {
  /** @param {number} seed */
  constructor(seed) {
    const [a, b, c] = seeded(seed, 3);
    this.a = a;
    this.b = b;
    this.c = c;
    this.counter = 1n;
    /** Half of a number that was drawn. @type {number | null} */
    this.half = null;
    for (let k = 0; k < 12; k++) this.next();
  }

  /** 64 random bits. */
  next() {
    const found = cut(this.a + this.b + this.counter);
    this.counter += 1n;
    this.a = this.b ^ (this.b >> 11n);
    this.b = cut(this.c + (this.c << 3n));
    this.c = cut(((this.c << 24n) | (this.c >> 40n)) + found);
    return found;
  }

  /** 32 random bits. */
  next32() {
    if (this.half !== null) {
      const kept = this.half;
      this.half = null;
      return kept;
    }
    const found = this.next();
    this.half = Number(found >> 32n);
    return Number(found & 0xffffffffn);
  }

  /** A whole number from 0 to below a bound. @param {number} bound */
  below(bound) {
    if (bound === 1) return 0;
    const least = (2 ** 32 - bound) % bound;
    for (;;) {
      const product = BigInt(this.next32()) * BigInt(bound);
      if (Number(product & 0xffffffffn) >= least) return Number(product >> 32n);
    }
  }

  /** Shuffle in place. @param {number[]} rows */
  shuffle(rows) {
    let state = this.next();
    for (let last = rows.length - 1; last > 0; last--) {
      const bound = BigInt(last + 1);
      const least = (0x100000000n - bound) % bound;
      let product;
      do {
        state = cut(state + 0x9e3779b97f4a7c15n);
        let z = cut((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
        z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
        product = (z >> 32n) * bound;
      } while ((product & 0xffffffffn) < least);
      const other = Number(product >> 32n);
      [rows[last], rows[other]] = [rows[other], rows[last]];
    }
  }
}

const WORDS = 624; // of the state of a Mersenne twister

/** So many numbers of `RandomState(seed).randint(2**31 - 1)` (M. Matsumoto, T. Nishimura 1998). @param {number} seed @param {number} count */
export function seeds(seed, count) {
  const state = new Uint32Array(WORDS);
  state[0] = seed;
  for (let k = 1; k < WORDS; k++) state[k] = Math.imul(1812433253, state[k - 1] ^ (state[k - 1] >>> 30)) + k;
  let place = WORDS;
  const word = () => {
    if (place === WORDS) {
      for (let k = 0; k < WORDS; k++) {
        const both = (state[k] & 0x80000000) | (state[(k + 1) % WORDS] & 0x7fffffff);
        state[k] = state[(k + 397) % WORDS] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0);
      }
      place = 0;
    }
    let value = state[place++];
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  };
  const found = [];
  while (found.length < count) {
    const value = word() & 0x7fffffff;
    if (value <= 2 ** 31 - 2) found.push(value);
  }
  return found;
}
