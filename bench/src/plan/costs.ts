// What the plan is made of. Every measured figure is in bench/RESULTS.md or bench/README.md, with its command and machine.

export const MEASURED = {
  /** engine, as recorded: look-ahead 13 with the language model. */
  cpuMsPerChunk: 14.8,
  /** end-to-end, as recorded: streams that the whole service admits on a core, of those that the bare loop fills it with. */
  admittedShare: 63 / 70,
  /** stream: the main process, for a frame of 100 ms (ARM, the more expensive round). */
  cpuUsPerFrame: 100.3,
  /** http: session creations per second, one node and PostgreSQL on 2 ARM cores with the clients. */
  creationsPerSecond: 659,
  /** nodes: create and cancel, authentication included. */
  transactionsPerCreation: 4.3,
  /** engine: a stream in the middle of an utterance, the larger figure. */
  memoryMbPerStream: 0.8,
} as const

/** What follows from the interface and the default settings. */
export const GIVEN = {
  /** Look-ahead 13: 14 steps of 80 ms. */
  chunkMs: 1_120,
  framesPerSecond: 10,
  /** 16,000 samples of 16 bits. */
  kbitPerStream: 256,
  /** nodes/upkeep.ts: a heartbeat every 2 s, and 4 searches every second. */
  upkeepPerNode: 4.5,
  /** SAUTI_DATABASE_POOL_SIZE, and one that listens. */
  connectionsPerNode: 11,
} as const

/** What an operator has to replace with their own figures. */
export const ASSUMED = {
  sessionSeconds: 180,
  /** Creations in the busiest minute, of the average. */
  burst: 2,
  /** What the autoscaler aims at. */
  load: 0.7,
  enginesPerNode: 7,
  coresPerNode: 8,
  /** Of what the database was measured to do. */
  databaseShare: 0.5,
} as const
