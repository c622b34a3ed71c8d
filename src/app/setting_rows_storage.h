// The settings of where bytes are kept: blobs.*, blobs.s3.*, cache.*. Internal to the settings.
#pragma once

#include <array>

#include "app/setting_rows.h"

namespace koya {

inline constexpr std::array kStorageRows{
    Declare<&Settings::blobs, &BlobSettings::url, kBlobsUrl>({
        .key = "blobs.url",
        .text = "Where archives' bytes are kept: in the data folder, or in a bucket of an "
                "S3-compatible store, below a prefix.",
    }),
    Declare<&Settings::blobs, &BlobSettings::gc_grace, kAge>({
        .key = "blobs.gc_grace",
        .text = "How old bytes that nothing refers to must be before they are removed, from a "
                "folder at "
                "once, from a bucket after blobs.trash_for.",
    }),
    Declare<&Settings::blobs, &BlobSettings::trash_for, kAge>({
        .key = "blobs.trash_for",
        .text = "How long a bucket keeps what is to be removed: so far back the database may be "
                "restored with all its bytes.",
    }),
    Declare<&Settings::blobs, &BlobSettings::gc_every, kAge>({
        .key = "blobs.gc_every",
        .text = "How often bytes that nothing refers to are looked for, by one server at a time.",
    }),
    Declare<&Settings::s3, &S3Settings::endpoint, kOrigin>({
        .key = "blobs.s3.endpoint",
        .text = "The store, where it is not AWS.",
        .default_note = "AWS, in blobs.s3.region",
    }),
    Declare<&Settings::s3, &S3Settings::region, kS3Word>({
        .key = "blobs.s3.region",
        .text = "The bucket's region; R2 and GCS want auto, others take any.",
    }),
    Declare<&Settings::s3, &S3Settings::path_style, kS3PathStyle>({
        .key = "blobs.s3.path_style",
        .text = "Whether the bucket stands in the path of URLs (true) or before the host (false); "
                "auto: in the path where blobs.s3.endpoint is set.",
    }),
    Declare<&Settings::s3, &S3Settings::ca_file, kPath>({
        .key = "blobs.s3.ca_file",
        .text = "Certificate authorities for connections to the store, PEM.",
        .default_note = "SSL_CERT_FILE, or else the system's",
    }),
    Declare<&Settings::s3, &S3Settings::access_key_file, kPath>({
        .key = "blobs.s3.access_key_file",
        .text = "A file with the access key's id in its first line and the secret in its second. "
                "Read again when it changes.",
        .default_note = "AWS_ACCESS_KEY_ID…, or else web identity, the container's or the "
                        "machine's role",
    }),
    Declare<&Settings::s3, &S3Settings::sse, kS3Encryption>({
        .key = "blobs.s3.sse",
        .text =
            "The encryption asked for with every object, where the bucket's policy wants it said.",
        .default_note = "as the bucket does",
    }),
    Declare<&Settings::s3, &S3Settings::sse_kms_key, kS3Word>({
        .key = "blobs.s3.sse_kms_key",
        .text = "The key for aws:kms.",
        .default_note = "the bucket's",
    }),
    Declare<&Settings::s3, &S3Settings::part_bytes, kPartSize>({
        .key = "blobs.s3.part_bytes",
        .text = "Larger objects are sent in parts of this size.",
    }),
    Declare<&Settings::s3, &S3Settings::parallel_parts, kParallelParts>({
        .key = "blobs.s3.parallel_parts",
        .text = "Parts of one object that are sent at one time.",
    }),
    Declare<&Settings::s3, &S3Settings::connect_timeout, kTimeout>({
        .key = "blobs.s3.connect_timeout",
        .text = "How long a connection to the store may take to be made.",
    }),
    Declare<&Settings::s3, &S3Settings::first_byte_timeout, kTimeout>({
        .key = "blobs.s3.first_byte_timeout",
        .text = "How long the store may take to begin sending an object, before it is asked once "
                "more on another connection.",
    }),
    Declare<&Settings::s3, &S3Settings::stall_timeout, kTimeout>({
        .key = "blobs.s3.stall_timeout",
        .text = "How long a transfer from or to the store may go without a byte.",
    }),
    Declare<&Settings::s3, &S3Settings::complete_timeout, kTimeout>({
        .key = "blobs.s3.complete_timeout",
        .text = "How long the store may take to put an object's parts together.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect, kS3Redirect>({
        .key = "blobs.s3.redirect",
        .text = "Whether clients are sent to the store for archives: never, for what this server's "
                "cache lacks, or always. They then need the store's name, certificate and proxy "
                "rules.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect_min, kSize>({
        .key = "blobs.s3.redirect_min",
        .text = "Smaller archives are never redirected.",
    }),
    Declare<&Settings::s3, &S3Settings::redirect_ttl, kTimeout>({
        .key = "blobs.s3.redirect_ttl",
        .text = "How long a redirect's URL may be used.",
    }),
    Declare<&Settings::s3, &S3Settings::public_endpoint, kOrigin>({
        .key = "blobs.s3.public_endpoint",
        .text = "The store as clients reach it.",
        .default_note = "blobs.s3.endpoint",
    }),
    Declare<&Settings::cache, &CacheSettings::documents_bytes, kSize>({
        .key = "cache.documents_bytes",
        .text = "Memory for answers that were rendered before (version lists, discovery), and for "
                "files of at most 64 KiB (checksums, signatures) that were asked for.",
    }),
    Declare<&Settings::cache, &CacheSettings::folder, kPath>({
        .key = "cache.folder",
        .text = "Where archives of a bucket are kept that were sent or taken lately. May be "
                "deleted at any time. Apart from the data folder's blobs.",
        .default_note = "cache in the data folder",
    }),
    Declare<&Settings::cache, &CacheSettings::archives_bytes, kSize>({
        .key = "cache.archives_bytes",
        .text = "The most that cache.folder may take, uploads under way included; the least "
                "recently used goes first.",
    }),
    Declare<&Settings::cache, &CacheSettings::scrub, kSizeOrOff>({
        .key = "cache.scrub",
        .text = "How many bytes of cache.folder are hashed again each second, to find what the "
                "disk has altered.",
    }),
};

}  // namespace koya
