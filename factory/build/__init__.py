"""Many work orders: the state machine of a build, its schedule, its landing queue, its records."""
