"""What a person reads afterwards. Computes text from records; prints nothing itself."""
