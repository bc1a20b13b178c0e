"""Certificates for an engine: an authority of its own, and one certificate that it signs for all sides."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from factory.system.files.tree import write_atomic

_SECRET: Final = 0o600
_DAYS: Final = 365


@dataclass(frozen=True)
class Certificates:
    """The files that all sides of an engine need.

    Attributes:
        authority: who is believed.
        certificate: what each side shows.
        key: the secret that belongs to it; whoever has it can join.
    """

    authority: Path
    certificate: Path
    key: Path


def write_certificates(folder: Path) -> Certificates:
    """Make an authority, whose key is forgotten at once, and a certificate that it has signed.

    Args:
        folder: gets the files `ca.pem`, `cert.pem` and `key.pem`.

    Raises:
        FileProblem: they can't be written.
    """
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "workorder engine authority")])
    member = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "workorder engine")])
    authority = (
        _builder(named, named, authority_key)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    certificate = (
        _builder(member, named, key)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    made = Certificates(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
    write_atomic(made.authority, authority.public_bytes(serialization.Encoding.PEM))
    write_atomic(made.certificate, certificate.public_bytes(serialization.Encoding.PEM))
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_atomic(made.key, secret, mode=_SECRET)
    return made


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_DAYS))
    )
