// The noisy neighbour: uses all of the core that it can get.

for (;;);
