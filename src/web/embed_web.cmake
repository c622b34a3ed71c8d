# Makes embedded_web.cc out of templates/, words/ and assets/: their bytes as string literals, in order of name. An
# asset's name in addresses carries a hash of its content.
function(koya_embed out folder pattern)
  file(GLOB paths CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${pattern})
  list(SORT paths)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${paths})
  set(entries "")
  foreach(path IN LISTS paths)
    get_filename_component(name ${path} NAME)
    file(SIZE ${path} size)
    file(SHA256 ${path} hash)
    string(SUBSTRING ${hash} 0 16 hash)
    # Each byte by its number, so that no byte can end the literal.
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
    string(APPEND entries "    {\"${name}\", {\"${bytes}\", ${size}}, \"${hash}\"},\n")
  endforeach()
  set(${out} "${entries}" PARENT_SCOPE)
endfunction()

koya_embed(KOYA_TEMPLATES templates *.mustache)
koya_embed(KOYA_WORDS words *.words)
koya_embed(KOYA_ASSETS assets *)
configure_file(embedded_web.cc.in embedded_web.cc @ONLY)
