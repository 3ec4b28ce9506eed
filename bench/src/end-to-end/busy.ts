// The noisy neighbour: takes whatever the core gives.

for (;;);
