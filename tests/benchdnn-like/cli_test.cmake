# SPDX-License-Identifier: Apache-2.0

# The command line as a user sees it: exit status, output, files.
#   cmake -DBENCH=<benchtombola> -DBUILD=<build folder> -DWORK=<folder> -DDOC=<doc/benchtombola.md> -P cli_test.cmake

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

# Scripts rely on the place in any build folder.
check("place of the program" BENCH STREQUAL "${BUILD}/tests/benchdnn-like/benchtombola")

# list_implementations(VARIABLE ARGUMENTS...): the names of the implementations that serve a problem, best first, as the
# message tells them that refuses an unknown name.
function(list_implementations variable)
    execute_process(COMMAND ${BENCH} ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result ERROR_VARIABLE errors)
    string(REGEX MATCH "implementations: ([^\n]+)\n" matched "${errors}")
    string(REPLACE ", " ";" names "${CMAKE_MATCH_1}")
    if(NOT result EQUAL 2 OR NOT names)
        message(FATAL_ERROR "${ARGN}: no list of implementations in '${errors}'")
    endif()
    set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# --- What a wrong command line says: the option, and what was expected; status 2, and nothing has run.
expect(2 "expected a driver")
expect(2 "expected a driver.*--shuffle, --random-generator" 4x4)
expect(2 "--foo: unknown option" --shuffle --foo 4x4)
expect(2 "-x: unknown option" --shuffle -x 4x4)
expect(2 "--shufle: unknown option; did you mean --shuffle[?]" --shufle 4x4)
expect(2 "--grup: unknown option; did you mean --group[?]" --shuffle --grup=2 4x4)
expect(2 "--bacth: unknown option; did you mean --batch[?]" --shuffle --bacth=smoke)
expect(2 "--foo: unknown option; --help lists them\n" --shuffle --foo 4x4)
expect(2 "--src=: expected the name of a file" --shuffle --src= 4x4)
expect(2 "--dump=: expected the name of a file" --shuffle --dump= 4x4)
expect(2 "--state=: expected the name of a file" --random-generator --state= 4)
expect(2 "--uniforms=: expected the name of a file" --multinomial --uniforms= 2x4)
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
expect(2 "--dt=f32: expected one of s32, s64\n" --random-permutation --dt=f32 10)
expect(2 "--alignment=tensorflow: expected one of pytorch, philox\n" --random-permutation --alignment=tensorflow 10)
expect(2 "problem '2x5': expected N, sizes separated by x\n" --random-permutation 2x5)
expect(2 "--odt=f32: expected one of s32, s64\n" --multinomial --odt=f32 2x4)
expect(2 "--int-draws=torch3: expected one of spec" --random-uniform --int-draws=torch3 4)
file(WRITE ${WORK}/bad_batch "--dt=f32 4x4\n--dt=f99 4x4\n")
expect(2 "in bad_batch:2: --dt=f99: expected" --shuffle --batch=bad_batch)
check("nothing ran before the mistake" NOT output MATCHES "tests:")
file(WRITE ${WORK}/outer_batch "# a comment\n\n--batch=bad_batch\n")
expect(2 "benchtombola: in bad_batch:2: --dt=f99: expected" --shuffle --batch=outer_batch)
file(WRITE ${WORK}/lost_batch "2x4\n\n--batch=nowhere 2x4\n")
expect(2 "in lost_batch:3: --batch=nowhere: cannot open" --shuffle --batch=lost_batch)
file(WRITE ${WORK}/itself "--batch=itself\n")
expect(2 "more than 16 deep" --shuffle --batch=itself)
# A name whose quote stays open would swallow what is behind it.
file(WRITE ${WORK}/open_quote "2x4\n2x6_n\"name 2x8\n")
expect(2 "in open_quote:2: 2x6_n\"name 2x8 : expected a closing \"" --shuffle --batch=open_quote)
expect(2 "in .*benchtombola:1: a byte of 0; expected text" --shuffle --batch=${BENCH})

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
        match threads ctx-exe impl skip-impl global-impl global-skip-impl check-ref-impl cold-cache repeats-per-prb start summary
        mem-check version attr-scratchpad src state dump perf-template fix-times-per-prb max-ms-per-prb
        allow-unimpl allow-enum-tags-only canonical engine verbose help)
    check("help names --${option}" output MATCHES "--${option}[ =\n]")
    check("doc names --${option}" doc MATCHES "--${option}[ =`]")
endforeach()
expect(0 "--dt=LIST +data type: one of f16, bf16, f32, f64, s32, s64; default f32\n" --random-uniform --help)
foreach(name prb driver desc name idx engine impl attr time clocks freq bw ibytes obytes iobytes ops flops cpdtime
        cptime ctime ceil bound share runs)
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

# --- Implementations. How many there are and what they are called is the machine's and the library's matter.
list_implementations(names --shuffle --impl=nothing 2x4)
list(GET names 0 best)
list(GET names -1 last)
list(JOIN names "," all_names)
expect(2 "--impl=nothing: expected a name, or a part of one, of shuffle's implementations: .*${last}" --shuffle --impl=nothing 2x4)
check("nothing ran" NOT output MATCHES "tests:")
expect(2 "--impl=nothing,nobody: expected" --shuffle --impl=nothing,nobody --batch=smoke)
foreach(name ${names})
    expect(0 "\\[${name}\\] __REPRO: --shuffle --impl=${name} 2x4\n" --shuffle -v1 --impl=${name} 2x4)
endforeach()
# A list has the best of those that it names, in the library's order.
expect(0 "\\[${best}\\] __REPRO: --shuffle --impl=${last},${best} 2x4\n" --shuffle -v1 --impl=${last},${best} 2x4)
expect(0 "\\[${last}\\] __REPRO" --shuffle -v1 --impl=nothing,${last} 2x4)
expect(0 "SKIPPED .*skipped:1 " --shuffle --skip-impl=${all_names} 2x4)
expect(0 "REPRO: --shuffle --impl=${last} 2x4\n.*REPRO: --shuffle 2x4\n.*listed:2" --shuffle --mode=L --impl=${last} 2x4 --reset 2x4)
expect(0 "listed:1" --shuffle --mode=L --skip-impl=${last} --reset 2x4)
check("--reset resets --skip-impl" NOT output MATCHES "skip-impl")
# --reset in a batch file keeps what was set outside of it.
file(WRITE ${WORK}/resets "--reset 2x4 --impl=${best} --reset 3x4\n")
expect(0 "REPRO: --shuffle --impl=${last} 2x4\n.*REPRO: --shuffle --impl=${last} 3x4\n.*REPRO: --shuffle --impl=${last} 5x4\n.*REPRO: --shuffle 6x4\n"
    --shuffle --mode=L --impl=${last} --batch=resets 5x4 --reset 6x4)
# A batch file is made for many machines: there an unknown name skips, as in benchdnn.
file(WRITE ${WORK}/foreign "--impl=ocl:ref 2x4\n--reset 2x4\n")
expect(0 "SKIPPED .not among its implementations: .*passed:1 skipped:1 " --shuffle --batch=foreign)
expect(0 "passed:2 skipped:0 " --shuffle --global-impl=${last} --batch=foreign)
expect(2 "--impl=nothing: expected" --shuffle --global-impl=nothing --batch=foreign)
expect(0 "skipped:2 " --shuffle --global-skip-impl=${all_names} --batch=foreign)
expect(0 "passed:1 " --shuffle --check-ref-impl=false --impl=portable 2x4)
expect(1 "FAILED .--check-ref-impl: .*failed:1 " --shuffle --check-ref-impl=true --impl=portable 2x4)

# --- What benchdnn takes besides.
expect(0 "INITIALIZED __REPRO: --shuffle 2x4\n.*passed:1 " --shuffle --mode=I 2x4)
expect(1 "INVALID_ARGUMENTS" --shuffle --mode=I --group=3 2x4)
expect(0 "passed:1 " --shuffle --mode=B 2x4)
expect(0 "perf,cpu,.*passed:1 " --shuffle --mode=F 2x4)
expect(0 "\n?0:PASSED .*\n1:PASSED .*\n2:PASSED .*\ntests:3 passed:3 " --shuffle --repeats-per-prb=3 2x4)
expect(0 "0:SKIPPED .before --start. .*1:PASSED .*passed:1 skipped:1 " --shuffle --start=1 2x4 3x4)
expect(0 "PASSED.*\n${last} +2 cases\ntests:2 " --shuffle --impl=${last} --summary=impl+no-failures 2x4 3x4)
expect(0 "\nimplementation,cases\n${last},2\ntests:2 " --shuffle --impl=${last} --summary=impl-csv 2x4 3x4)
expect(1 "the first failed cases:\n0:FAILED .--src=missing[^\n]* __REPRO: --shuffle --src=missing 2x4\ntests:1 " --shuffle --summary=failures --src=missing 2x4)
expect(2 "--summary=all: expected failures, impl" --shuffle --summary=all 2x4)
expect(0 "passed:1 " --shuffle --mode=P --max-ms-per-prb=5 --cold-cache=all 64x64)
expect(2 "--cold-cache=custom: expected none, wei or all" --shuffle --cold-cache=custom 2x4)
expect(0 "passed:1 " --mode-modifier=PM --mem-check=false --engine=cpu:0 --fast-ref=true --attr-same-pd-check=1
    --attr-deterministic=true --attr-fpmath=bf16:true --attr-acc-mode=any --attr-post-ops= --attr-scales=
    --attr-zero-points= --attr-dropout= --attr-rounding-mode= --ctx-init=auto --memory-kind=usm --stream-kind=def
    --execution-mode=direct --num-streams=1 --cpu-isa-hints=none --shuffle 2x4)
expect(2 "--attr-post-ops=relu: expected no value: no primitive of this library" --shuffle --attr-post-ops=relu 2x4)
expect(2 "--engine=gpu: expected cpu" --shuffle --engine=gpu 2x4)
expect(2 "--buffer-prefix=x: expected no value; --src=FILE" --shuffle --buffer-prefix=x 2x4)
expect(2 "--threads=-1: expected an integer from 0" --shuffle --threads=-1 2x4)
expect(2 "--ctx-exe=0: expected an integer from 1" --shuffle --ctx-exe=0 2x4)
expect(0 "REPRO: --shuffle --threads=3 2x4\n.*REPRO: --shuffle --threads=2 2x4\n.*REPRO: --shuffle 2x4\n" --shuffle
    --mode=L --threads=3 2x4 --ctx-exe=2:auto:1 2x4 --ctx-exe=auto 2x4)
expect(0 "^benchtombola [0-9]+[.][0-9]+[.][0-9]+, CPU run-time [A-Z]+\n$" --version)

# --- Threads. OpenMP prints a line for each thread that it hands work.
expect(0 "" --version)
if(output MATCHES "run-time OMP")
    set(ENV{OMP_NUM_THREADS} 4)
    set(ENV{OMP_DISPLAY_AFFINITY} true)
    set(ENV{OMP_AFFINITY_FORMAT} "a thread of %N")
    set(large --random-uniform --mode=R)
    expect(0 "a thread of 4" ${large} 4000000)
    expect(0 "a thread of 4" ${large} --threads=0 4000000)
    expect(0 "a thread of 2" ${large} --threads=2 4000000)
    check("no more than 2 threads" NOT output MATCHES "a thread of 4")
    expect(0 "passed:1 " ${large} --threads=1 4000000)
    check("no second thread" NOT output MATCHES "a thread of")
    expect(0 "passed:1 " --random-uniform --mode=P --max-ms-per-prb=5 --threads=1 4000000)
    check("no second thread for what the kernel is compared with" NOT output MATCHES "a thread of")
    foreach(variable OMP_NUM_THREADS OMP_DISPLAY_AFFINITY OMP_AFFINITY_FORMAT)
        unset(ENV{${variable}})
    endforeach()
endif()

# --- Performance: fields, and text as it stands.
set(number "[0-9][0-9.e+-]*")
list_implementations(names --random-generator --impl=nothing 1000)
list(GET names -1 last)
expect(0 "\n?10% [|] --random-generator --impl=${last} 1000 [|] ${last} [|] [0-9.e-]+ [|] [0-9.e+]+ [|] [0-9.]+% of [a-z-]+ [|] abx\n"
    --random-generator --mode=P --impl=${last} --max-ms-per-prb=5
    "--perf-template=10% | %prb% | %impl% | %-time% | %-Gbw% | %share%% of %bound% | %tag%" 1000)
expect(0 "^--shuffle 8x8 ${number} ${number} ${number} ${number} ${number} ${number}\ntests:1 " --shuffle --mode=P --max-ms-per-prb=5
    "--perf-template=%prb% %-time% %0time% %-Gbw% %0Gbw% %ceil% %share%" 8x8)
expect(0 "^100% of 100%, 5 % and %\ntests:1 " --shuffle --mode=P --max-ms-per-prb=5 "--perf-template=100% of 100%, 5 % and %" 8x8)
# A number without a modifier is that of the best run: one sample is the best, the median, the mean and the worst.
expect(0 "^(${number}) (${number}) (${number}) (${number}) (${number})\ntests:1 " --shuffle --mode=P --fix-times-per-prb=3
    "--perf-template=%time% %-time% %~time% %0time% %+time%" 8x8)
string(REGEX MATCH "^([^ ]+) ([^ ]+) ([^ ]+) ([^ ]+) ([^ \n]+)\n" matched "${output}")
check("%time% is %-time%" CMAKE_MATCH_1 STREQUAL CMAKE_MATCH_2)
check("best, median, worst" NOT CMAKE_MATCH_2 GREATER CMAKE_MATCH_3 AND NOT CMAKE_MATCH_3 GREATER CMAKE_MATCH_5)
# The templates that benchdnn calls def and csv: every field has a number.
expect(0 "\n?perf,cpu,[^,]+,,--shuffle 8x8,0,[0-9.e-]+,[0-9.e-]+,0,[0-9.e-]+,0\n" --shuffle --mode=P --max-ms-per-prb=5
    "--perf-template=perf,%engine%,%impl%,%name%,%prb%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%" 8x8)
expect(0 "\n?perf,cpu,[^,]+,a,FWD_D,f32,abx,1,1,,8x8,0,[0-9.e-]+,[0-9.e-]+,0,[0-9.e-]+,0\n" --shuffle --mode=P
    --max-ms-per-prb=5 "--perf-template=perf,%engine%,%impl%,%name%,%dir%,%dt%,%tag%,%group%,%axis%,%attr%,%desc%,%Gops%,%+ctime%,%-time%,%-Gflops%,%0time%,%0Gflops%" 8x8na)
# 8 x 8 elements of 4 bytes go in and come out.
expect(0 "\n1 shuffle 256 256 0.512 --attr-scratchpad=user\n" --shuffle --mode=P --max-ms-per-prb=5 --attr-scratchpad=user
    "--perf-template=%idx% %driver% %ibytes% %obytes% %Kiobytes% %attr%" 2x4 8x8)
expect(0 "PASSED.*Output template: perf,.*perf,cpu,[^,]*,,--shuffle 8x8,.*,memcpy,.*total perf:.*passed:1"
    --shuffle --mode=CP --fix-times-per-prb=3 8x8)

# --- A full disk is told.
foreach(arguments "--shuffle;2x4" --help --version)
    execute_process(COMMAND ${BENCH} ${arguments} OUTPUT_FILE /dev/full RESULT_VARIABLE result ERROR_VARIABLE errors)
    check("${arguments} > /dev/full" result EQUAL 1 AND errors MATCHES "cannot write the standard output: No space left on device")
endforeach()
expect(1 "FAILED .--dump=/dev/full: cannot write the file: No space left" --shuffle --dump=/dev/full 2x4)
expect(1 "FAILED .--dump=missing/file: cannot write the file: No such file" --shuffle --dump=missing/file 2x4)
expect(1 "FAILED .--src=${WORK}: this is a directory, expected a file of 32 bytes" --shuffle --src=${WORK} 2x4)
expect(1 "FAILED .--src=/dev/zero: the file has more than 32 bytes, expected 32" --shuffle --src=/dev/zero 2x4)
expect(1 "FAILED .--src=missing: cannot open the file: No such file" --shuffle --src=missing 2x4)
expect(1 "FAILED .--state=x: shuffle takes no state" --shuffle --state=x 2x4)
expect(1 "FAILED .--src=x: random_generator has no input tensor" --random-generator --src=x 4)

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

# Drawn in two parts: the state carries on, and so do OFFSET and multinomial's.
# TensorFlow reserves 256 blocks of 4 words for each element: {256 * 400, op seed} is the state after 400 of them, and the
# next call goes on at word 4 * 256 * 400.
set(uniform --random-uniform --seeds=7:8)
expect(0 "passed:1 " ${uniform} --dump=head 400)
read_hex(head.state actual)
check("tensorflow: state" actual STREQUAL "00900100000000000800000000000000")
expect(0 "passed:1 " ${uniform} --state=head.state --dump=tail 600)
expect(0 "passed:1 " ${uniform} --offset=409600 --dump=by_offset 600)
read_hex(tail tail)
read_hex(by_offset actual)
check("tensorflow: state read back" actual STREQUAL tail)
foreach(replacement true false)
    set(multinomial --multinomial --seeds=7:8 --odt=s32 --replacement=${replacement})
    expect(0 "passed:1 " ${multinomial} --samples=20 --dump=indices 3x100)
    read_hex(indices indices)
    string(LENGTH "${indices}" length)
    check("dump of 3 x 20 indices" length EQUAL 480)
endforeach()
expect(0 "passed:1 " ${multinomial} --replacement=true --samples=20 --dump=whole 1x100)
expect(0 "passed:1 " ${multinomial} --replacement=true --samples=0x7 --dump=head 1x100)
expect(0 "passed:1 " ${multinomial} --replacement=true --samples=13 --offset=0x7 --dump=tail 1x100)
read_hex(whole whole)
read_hex(head head)
read_hex(tail tail)
check("multinomial: offset" whole STREQUAL "${head}${tail}")

# Parts of a permutation, and a state that goes on: torch.manual_seed(5), then torch.randperm(3) twice.
set(permutation --random-permutation --seeds=5:1 --dt=s32)
foreach(alignment pytorch philox)
    expect(0 "passed:1 " ${permutation} --alignment=${alignment} --dump=whole 100)
    expect(0 "passed:1 " ${permutation} --alignment=${alignment} --range=100 --dump=head 30)
    expect(0 "passed:1 " ${permutation} --alignment=${alignment} --range=100 --offset=30 --dump=tail 70)
    read_hex(whole whole)
    read_hex(head head)
    read_hex(tail tail)
    check("random_permutation: offset, ${alignment}" whole STREQUAL "${head}${tail}")
endforeach()
expect(0 "passed:1 " ${permutation} --dump=head 3)
expect(0 "passed:1 " ${permutation} --state=head.state --dump=tail 3)
read_hex(head head)
read_hex(tail tail)
check("random_permutation: state" "${head} ${tail}" STREQUAL "020000000100000000000000 010000000200000000000000")
# The last sample of the stream, and one that no OFFSET could name.
foreach(offset_case "--random-uniform 1;--random-uniform 2" "--multinomial 1x5;--multinomial --samples=2 1x5")
    list(TRANSFORM offset_case REPLACE "^(--[a-z-]+)" "\\1 --offset=0xffffffffffffffff")
    list(GET offset_case 0 last)
    list(GET offset_case 1 beyond)
    separate_arguments(last)
    separate_arguments(beyond)
    expect(0 "passed:1 " ${last})
    expect(1 "INVALID_ARGUMENTS .[a-z_]*: OFFSET is 18446744073709551615" ${beyond})
endforeach()
# UNIFORMS take the place of the stream: the seeds do not matter.
expect(0 "passed:1 " --random-uniform --dt=f64 --dump=uniforms 3x20)
foreach(seeds 1:2 3:4 0:0)
    expect(0 "passed:1 " --multinomial --samples=20 --uniforms=uniforms --seeds=${seeds} --dump=by_uniforms_${seeds} 3x100)
    read_hex(by_uniforms_${seeds} actual)
    read_hex(by_uniforms_1:2 wanted)
    check("multinomial: uniforms, seeds ${seeds}" actual STREQUAL wanted)
endforeach()
expect(1 "--uniforms=uniforms: the file has 480 bytes, expected 488" --multinomial --samples=61 --uniforms=uniforms 1x100)

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
# A state takes the place of pytorch's seeds, so none are drawn.
expect(0 "passed:1 " ${uniform} --seeds=0:0 --state=head.state --dump=tail 687)
read_hex(tail tail)
check("pytorch: state and seeds 0:0" whole STREQUAL "${head}${tail}")
file(GLOB left ${WORK}/*.??????)
list(FILTER left EXCLUDE REGEX "[.]state$")
check("no file is left beside a dump" NOT left)
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

# --- Progress, with the time that is left, is for terminals.
set(slow --shuffle --mode=P --max-ms-per-prb=300 --perf-template=%time% 8x8 8x8 8x8 8x8 8x8 8x8)
find_program(script_program script)
if(script_program)
    list(JOIN slow " " command)
    execute_process(COMMAND ${script_program} -qec "${BENCH} ${command}" /dev/null WORKING_DIRECTORY ${WORK}
        RESULT_VARIABLE result OUTPUT_VARIABLE output INPUT_FILE /dev/null)
    check("progress on a terminal" result EQUAL 0 AND output MATCHES "[[]6/6[]] ETA [0-9]+s failed:0 --shuffle 8x8")
endif()
expect(0 "passed:6 " ${slow})
check("no progress in a pipe" NOT output MATCHES "ETA")

if(failures)
    message(FATAL_ERROR "${failures} checks failed")
endif()
