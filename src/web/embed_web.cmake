# Makes embedded_web.cc out of templates/, words/, assets/ and some of docs/: their bytes as string literals, in order of
# name. An asset's name in addresses carries a hash of its content. Style sheets go without remarks and line ends.
function(koya_embed out folder)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/ OUTPUT_VARIABLE patterns)
  file(GLOB paths CONFIGURE_DEPENDS ${patterns})
  list(SORT paths)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paths})
  set(entries "")
  foreach(path IN LISTS paths)
    get_filename_component(name ${path} NAME)
    # Each byte by its number, so that no byte can end the literal.
    if(name MATCHES "\\.css$")
      file(READ ${path} text)
      string(REGEX REPLACE "/\\*[^*]*\\*/" "" text "${text}")
      string(REGEX REPLACE "\n *" "" text "${text}")
      string(REPLACE ";}" "}" text "${text}")
      string(SHA256 hash "${text}")
      string(HEX "${text}" bytes)
    else()
      file(SHA256 ${path} hash)
      file(READ ${path} bytes HEX)
    endif()
    string(SUBSTRING ${hash} 0 16 hash)
    string(LENGTH "${bytes}" size)
    math(EXPR size "${size} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(APPEND entries "    {\"${name}\", {\"${bytes}\", ${size}}, \"${hash}\"},\n")
  endforeach()
  set(${out} "${entries}" PARENT_SCOPE)
endfunction()

koya_embed(KOYA_TEMPLATES templates *.mustache)
koya_embed(KOYA_WORDS words *.words)
koya_embed(KOYA_ASSETS assets *)
# Texts for users and operators of a registry, which it shows at /-/docs. Those about its code stay in the source.
koya_embed(KOYA_DOCS ../../docs
  access.md audit.md backup.md ci.md clients.md config.md cool-down.md editors.md errors.md inside.md install.md keys.md limits.md
  logging.md mcp.md metrics.md mirror.md moving-in.md notifications.md operating.md policy.md providers.md publishing.md runbook.md scale-out.md search.md
  securing.md sign-in-providers.md storage-layout.md tokens.md troubleshooting.md trust.md trusted-publishing.md updaters.md usage.md)
koya_embed(KOYA_SCRIPTS ../../packaging install.sh)
configure_file(embedded_web.cc.in embedded_web.cc @ONLY)
