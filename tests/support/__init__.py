"""What tests of several packages share: doubles for the ports."""
