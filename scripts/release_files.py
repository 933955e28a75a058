"""Archives that are the same for the same content: no times, no owners, a fixed order; for scripts/release."""
import base64
import gzip
import hashlib
import io
import tarfile
import zipfile

EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write_tarball(path, entries):
    """entries: {name: (bytes, is a program)}"""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, is_program) in sorted(entries.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o755 if is_program else 0o644
            tar.addfile(info, io.BytesIO(content))
    with open(path, "wb") as out, gzip.GzipFile(filename="", fileobj=out, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(inner.getvalue())
    return path


def write_wheel(path, info, entries):
    """entries as above; the list of their digests is added to the folder `info`."""
    record = io.StringIO()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, (content, is_program) in sorted(entries.items()):
            add(wheel, name, content, is_program)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.write(f"{name},sha256={digest},{len(content)}\n")
        record.write(f"{info}/RECORD,,\n")
        add(wheel, f"{info}/RECORD", record.getvalue().encode(), False)
    return path


def add(wheel, name, content, is_program):
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, content)


def self_test():
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("a", "b")]
        for path in paths:
            write_tarball(path, {"x/y": (b"1", True), "x/a": (b"2", False)})
        assert sha256(paths[0]) == sha256(paths[1])
        with tarfile.open(paths[0]) as tar:
            assert [(one.name, one.mode, one.mtime) for one in tar] == [("x/a", 0o644, 0), ("x/y", 0o755, 0)]
        write_wheel(paths[0], "i", {"s/p": (b"1", True)})
        with zipfile.ZipFile(paths[0]) as wheel:
            assert wheel.read("i/RECORD").decode() == "s/p,sha256=a4ayc_80_OGda4BO_1o_V0etpOqiLx1JwB5S3beHW0s,1\ni/RECORD,,\n"
            assert wheel.getinfo("s/p").external_attr >> 16 == 0o100755
