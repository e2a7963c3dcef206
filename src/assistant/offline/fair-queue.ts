/** A fair queue: serves its owners in turn. */

export interface FairQueue<T> {
  readonly size: number;
  sizeOf(owner: string): number;
  add(owner: string, item: T): void;
  take(): T | undefined;
  remove(owner: string, item: T): void;
}

export function createFairQueue<T>(): FairQueue<T> {
  /** In serving order. The owner who was served last waits for the next one, if there is any. */
  const byOwner = new Map<string, T[]>();
  let size = 0;
  let served: string | undefined;
  const nextOwner = (): string | undefined => {
    const [first, second] = byOwner.keys();
    return first === served ? (second ?? first) : first;
  };
  return {
    get size() {
      return size;
    },
    sizeOf: (owner) => byOwner.get(owner)?.length ?? 0,
    add(owner, item) {
      const items = byOwner.get(owner);
      if (items) items.push(item);
      else byOwner.set(owner, [item]);
      size += 1;
    },
    take() {
      const owner = nextOwner();
      if (owner === undefined) return undefined;
      const [item, ...rest] = byOwner.get(owner) ?? [];
      byOwner.delete(owner);
      if (rest.length > 0) byOwner.set(owner, rest);
      served = owner;
      size -= 1;
      return item;
    },
    remove(owner, item) {
      const items = byOwner.get(owner) ?? [];
      const at = items.indexOf(item);
      if (at < 0) return;
      items.splice(at, 1);
      if (items.length === 0) byOwner.delete(owner);
      size -= 1;
    },
  };
}
