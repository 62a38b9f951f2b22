# SPDX-License-Identifier: Apache-2.0

# The command line as a user sees it: exit status, output, files.
#   cmake -DBENCH=<benchtombola> -DWORK=<folder> -DDOC=<doc/benchtombola.md> -P cli_test.cmake

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(failures 0)

# expect(STATUS "regular expression" ARGUMENTS...): the exit status, and what the output, errors included, has.
function(expect status pattern)
    execute_process(COMMAND ${BENCH} ${ARGN} WORKING_DIRECTORY ${WORK}
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    set(output "${output}${errors}")
    if(NOT result STREQUAL status OR NOT output MATCHES "${pattern}")
        message("FAILED: ${ARGN}\n  status ${result}, expected ${status}\n  output, expected '${pattern}':\n${output}")
        math(EXPR failures "${failures} + 1")
        set(failures ${failures} PARENT_SCOPE)
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

# check(NAME CONDITION...)
macro(check name)
    if(NOT (${ARGN}))
        message("FAILED: ${name}")
        math(EXPR failures "${failures} + 1")
    endif()
endmacro()

function(read_hex file variable)
    file(READ ${WORK}/${file} contents HEX)
    set(${variable} "${contents}" PARENT_SCOPE)
endfunction()

# --- What a wrong command line says: the option, and what was expected; status 2, and nothing has run.
expect(2 "expected a driver")
expect(2 "expected a driver.*--shuffle, --random-generator" 4x4)
expect(2 "--foo: unknown option" --shuffle --foo 4x4)
expect(2 "-x: unknown option" --shuffle -x 4x4)
expect(2 "--dt=f31: expected one of f16, bf16, f32" --shuffle --dt=f32,f31 4x4)
expect(2 "--dt: expected a value" --shuffle --dt 4x4)
expect(2 "--axis=1.5: expected an integer" --shuffle --axis=1.5 4x4)
expect(2 "--tag=nchv: expected a layout" --shuffle --tag=nchv 4x4)
expect(2 "--dir=FWD: expected one of FWD_D" --shuffle --dir=FWD 4x4)
expect(2 "'4x': expected DIMS" --shuffle 4x)
expect(2 "'4x-4': expected DIMS" --shuffle 4x-4)
expect(2 "--mode=Q: expected C, P, CP, R or L" --shuffle --mode=Q 4x4)
expect(2 "--batch=nowhere: cannot open any of\n    nowhere\n    /" --shuffle --batch=nowhere)
check("folders without detours" NOT output MATCHES "/[.][.]/")
expect(2 "--match=a[(]: expected a regular expression" --shuffle --match=a\( 4x4)
expect(2 "--perf-template: '%foo%'" --shuffle --perf-template=%foo% 4x4)
expect(2 "--max-ms-per-prb=0: expected an integer from 1" --shuffle --max-ms-per-prb=0 4x4)
expect(2 "--fix-times-per-prb=-1: expected" --shuffle --fix-times-per-prb=-1 4x4)
expect(2 "--reset: .*takes no value" --shuffle --reset=1 4x4)
expect(2 "--attr-scratchpad=mine: expected one of library, user" --shuffle --attr-scratchpad=mine 4x4)
expect(2 "--axis: not an option of --random-generator, but of --shuffle" --random-generator --axis=1 4)
expect(2 "--dt: an option of --shuffle.* must stand before it" --dt=f32 --shuffle 4x4)
expect(2 "--counter=1:2:3:4:5: expected up to 4" --random-generator --counter=1:2:3:4:5 4)
expect(2 "--key=0x100000000: expected" --random-generator --key=0x100000000 4)
expect(2 "--seeds=1:2:3: expected GLOBAL:OP" --random-uniform --seeds=1:2:3 4)
expect(2 "--min=low: expected a number" --random-uniform --min=low 4)
expect(2 "--alignment=jax: expected one of tensorflow, pytorch" --random-uniform --alignment=jax 4)
expect(2 "--dt=u8: expected one of f16, bf16, f32, f64, s32, s64\n" --random-uniform --dt=u8 4)
expect(2 "--dt=s32: expected one of f16, bf16, f32, f64\n" --multinomial --dt=f32,s32 2x4)
expect(2 "--odt=f32: expected one of s32, s64\n" --multinomial --odt=f32 2x4)
expect(2 "--int-draws=torch3: expected one of spec" --random-uniform --int-draws=torch3 4)
file(WRITE ${WORK}/bad_batch "--dt=f32 4x4\n--dt=f99 4x4\n")
expect(2 "in bad_batch: --dt=f99: expected" --shuffle --batch=bad_batch)
check("nothing ran before the mistake" NOT output MATCHES "tests:")
file(WRITE ${WORK}/itself "--batch=itself\n")
expect(2 "more than 16 deep" --shuffle --batch=itself)

# An option that holds for no problem is a mistake, except in a batch file; what is for the whole run may stand last.
expect(2 "benchtombola: --group=4: expected a problem" --shuffle 1x12x3x3 --group=4)
check("nothing ran without the option" NOT output MATCHES "tests:")
expect(2 "benchtombola: --shuffle --group=4: expected a problem" --shuffle --group=4)
expect(2 "benchtombola: --mode=P: expected a problem" --shuffle --batch=smoke --mode=P)
expect(2 "benchtombola: --random-uniform: expected a problem" --shuffle 2x4 --random-uniform)
expect(2 "benchtombola: --reset: expected a problem" --shuffle 2x4 --reset -v1)
expect(2 "expected a driver and a problem" -v1 --engine=cpu)
expect(0 "passed:1 " --shuffle 2x4 -v1 --verbose=1 --engine=cpu)
file(WRITE ${WORK}/options_last "2x4 --group=2\n")
expect(0 "passed:1 " --shuffle --dt=s8 --batch=options_last)
expect(0 "__REPRO: --shuffle 2x4\n.*__REPRO: --shuffle --group=2 2x4\n.*passed:2 " --shuffle --batch=options_last 2x4)
expect(0 "Usage: " --shuffle --group=4 --help)

# --- Help names every option, and so does the documentation.
file(READ ${DOC} doc)
expect(0 "--shuffle.*--random-generator.*--random-uniform" --help)
foreach(option dir dt tag dtag axis group counter key alignment seeds min max offset int-draws mode batch reset
        match impl skip-impl attr-scratchpad src state dump perf-template fix-times-per-prb max-ms-per-prb
        allow-unimpl allow-enum-tags-only canonical engine verbose help)
    check("help names --${option}" output MATCHES "--${option}[ =\n]")
    check("doc names --${option}" doc MATCHES "--${option}[ =`]")
endforeach()
expect(0 "--dt=LIST +data type: one of f16, bf16, f32, f64, s32, s64; default f32\n" --random-uniform --help)
foreach(name prb impl time bw ceil bound share)
    check("help names %${name}%" output MATCHES "%${name}%")
    check("doc names %${name}%" doc MATCHES "`%${name}%`")
endforeach()

# --- Lists, the state machine, the summary.
expect(0 "\ntests:4 passed:4 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0\n$"
    --shuffle --dt=f32,s8 --group=1,2 4x4)
expect(0 "LISTED __REPRO: --shuffle --dt=s8 2x4\n.*LISTED __REPRO: --shuffle --dt=s8 3x4\n.*LISTED __REPRO: --shuffle --dt=s8 --group=2 5x4\n.*tests:3 .* listed:3\n$"
    --shuffle --mode=L --dt=s8 2x4 3x4 --group=2 5x4)
expect(0 "LISTED __REPRO: --shuffle 2x4\n.*listed:1\n$" --shuffle --mode=L --dt=s8 --group=2 --reset 2x4)
expect(0 "LISTED __REPRO: --shuffle --dir=BWD_D 2x4_n\"my:name\"\n" --shuffle --mode=L --dir=BWD_D "2x4_n\"my:name\"")
expect(0 "--dir=FWD_D --dt=f32 --tag=abx --dtag=any --axis=1 --group=1 2x4\n" --shuffle --mode=L --canonical=true 2x4)
expect(0 "listed:2\n$" --shuffle --mode=L --match=bf16.*3x4 --dt=f32,bf16,s8 --tag=ab,ba 2x4 3x4)
expect(0 "EXECUTED.*passed:1 " --shuffle --mode=R 2x4)
file(WRITE ${WORK}/nothing "# nothing\n")
expect(0 "tests:0 " --shuffle --batch=nothing)
file(WRITE ${WORK}/inner "--dt=s8 # a comment\n#--dt=f64\n--reset --group=2 2x4\n")
file(WRITE ${WORK}/outer "--dt=bf16\n--batch=inner\n--axis=0 2x4\n")
expect(0 "REPRO: --shuffle --group=2 2x4\n.*REPRO: --shuffle --axis=0 --group=2 2x4\n.*listed:2\n$"
    --shuffle --mode=L --batch=outer)
expect(0 "listed:1\n$" --shuffle --mode=L --match=axis --batch=outer)
expect(0 "run: --shuffle 2x4\n.*\\[.*\\] __REPRO" --shuffle -v1 2x4)
expect(0 "unimplemented:1 " --shuffle --tag=ABx16a16b 4x4x4x4)
expect(1 "UNIMPLEMENTED_FAILED.*failed:1 " --shuffle --allow-unimpl=false --tag=ABx16a16b 4x4x4x4)
expect(1 "INVALID_ARGUMENTS .*group_size 3.* __REPRO: --shuffle --group=3 2x16\n.*invalid_arguments:1 failed:0 " --shuffle --group=3 2x16)
expect(1 "INVALID_ARGUMENTS.*invalid_arguments:1 failed:0 " --random-generator --tag=nchw 2x4)
expect(1 "FAILED .--src=missing: cannot open.* __REPRO: --shuffle --src=missing 2x4\n.*failed:1 " --shuffle --src=missing 2x4)
file(WRITE ${WORK}/three "abc")
expect(1 "--src=three: the file has 3 bytes, expected 32" --shuffle --src=three 2x4)

# --- Implementations.
expect(0 "passed:1 " --shuffle --impl=portable 2x4)
expect(0 "SKIPPED .*portable.*skipped:1 " --shuffle --impl=nothing 2x4)
expect(0 "SKIPPED .*skipped:1 " --shuffle --skip-impl=jit,portable 2x4)

# --- Performance: fields, and text as it stands.
expect(0 "\n?10% [|] --random-generator --impl=portable 1000 [|] portable [|] [0-9.e-]+ [|] [0-9.e+]+ [|] [0-9.]+% of [a-z-]+ [|] abx\n"
    --random-generator --mode=P --impl=portable --max-ms-per-prb=5
    "--perf-template=10% | %prb% | %impl% | %-time% | %-Gbw% | %share%% of %bound% | %tag%" 1000)
expect(0 "PASSED.*Output template: perf,.*perf,cpu,[^,]*,,--shuffle 8x8,.*,memcpy,.*total perf:.*passed:1"
    --shuffle --mode=CP --fix-times-per-prb=3 8x8)

# --- Files. Philox words of counter 0, key 0 (Random123's known answer), little-endian.
expect(0 "passed:1 " --random-generator --dump=words 4)
read_hex(words actual)
check("Philox words" actual STREQUAL "d5e827668dc569e14cac57bcd8db009b")
read_hex(words.state actual)
check("Philox state" actual STREQUAL "010000000000000000000000000000000000000000000000")

# Logical order whatever the layout.
expect(0 "passed:1 " --random-generator --counter=5 --key=6:7 --dump=plain 2x36x3x5)
expect(0 "passed:1 " --random-generator --counter=5 --key=6:7 --tag=aBx16b --dump=blocked 2x36x3x5)
read_hex(plain plain)
read_hex(blocked actual)
check("dump of a blocked layout" actual STREQUAL plain)

# Shuffled and shuffled back.
expect(0 "passed:1 " --shuffle --dt=u32 --group=3 --src=plain --tag=axb --dump=there 2x36x3x5)
expect(0 "passed:1 " --shuffle --dir=BWD_D --dt=u32 --group=3 --src=there --tag=aBx8b --dump=back 2x36x3x5)
read_hex(there there)
read_hex(back actual)
check("a shuffle changes something" NOT there STREQUAL plain)
check("forward, then backward" actual STREQUAL plain)

# --dump is for the last problem.
expect(0 "passed:2 " --random-generator --dump=last 4 8)
read_hex(last actual)
string(LENGTH "${actual}" length)
check("dump of the last problem" length EQUAL 64)

# The state carries on.
expect(0 "passed:1 " --random-generator --counter=0xfffffffe:0xffffffff --key=9 --dump=whole 20)
expect(0 "passed:1 " --random-generator --counter=0xfffffffe:0xffffffff --key=9 --dump=head 8)
expect(0 "passed:1 " --random-generator --state=head.state --dump=tail 12)
read_hex(whole whole)
read_hex(head head)
read_hex(tail tail)
check("state of random_generator" whole STREQUAL "${head}${tail}")

foreach(alignment tensorflow pytorch)
    set(uniform --random-uniform --alignment=${alignment} --seeds=7:8 --dt=f64)
    expect(0 "passed:1 " ${uniform} --dump=whole 1000)
    expect(0 "passed:1 " ${uniform} --dump=head 313)
    expect(0 "passed:1 " ${uniform} --dump=tail --offset=313 687)
    read_hex(whole whole)
    read_hex(head head)
    read_hex(tail tail)
    check("${alignment}: offset" whole STREQUAL "${head}${tail}")
endforeach()
expect(0 "passed:1 " ${uniform} --seeds=1 --state=head.state --dump=tail 687)
read_hex(tail tail)
check("pytorch: state" whole STREQUAL "${head}${tail}")
expect(1 "--state=head: the file has 2504 bytes, expected 2500" ${uniform} --state=head 4)
expect(1 "INVALID_ARGUMENTS .*invalid_arguments:1 failed:0 " --random-uniform --min=2 --max=1 4)
expect(1 "INVALID_ARGUMENTS .*not a value of s32" --random-uniform --dt=s32 --max=0.5 4)
# OpenVINO RandomUniform-8, example 3 for TENSORFLOW: 65 70 56 59 82 92.
expect(0 "passed:1 " --random-uniform --dt=s32 --seeds=80:100 --min=50 --max=100 --dump=example 2x3)
read_hex(example actual)
check("RandomUniform-8, example 3" actual STREQUAL "4100000046000000380000003b000000520000005c000000")
# Seeds 0:0 differ from call to call.
expect(0 "passed:1 " --random-uniform --seeds=0:0 --dump=once 16)
expect(0 "passed:1 " --random-uniform --seeds=0:0 --dump=twice 16)
read_hex(once once)
read_hex(twice twice)
check("entropy" NOT once STREQUAL twice)

if(failures)
    message(FATAL_ERROR "${failures} checks failed")
endif()
