"""Statistics on arrays and seeds. Knows no calls, touches no file, clock or global randomness."""
