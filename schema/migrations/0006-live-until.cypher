// An archived memory is not live: searches need not ask for its state besides.
MATCH (m:Memory) WHERE m.state = 'archived' AND m.liveUntil > 0
CALL (m) { SET m.liveUntil = 0 } IN TRANSACTIONS OF 1000 ROWS;
