"""Compiled functions in two forms, each made when it is first needed: for calls from Python, and to be linked
into compiled callers.

Numba makes machine code of each function, and wrappers by which Python and C call it. Most functions are
called by compiled code alone, which contains them whole. For them machine code and wrappers are made in vain,
and optimized code too: LLVM optimizes a caller together with all that it contains. The second form ends with
bitcode that is not optimized. With it a game compiles in a third to a half of the time.

Code that reaches Python's objects, such as `print`, finds them in an environment, which Numba writes to an
address in the machine code. The second form of a function that needs one is compiled as the first is.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import llvmlite.binding as llvm
from numba import types
from numba.core import caching, codegen, compiler, errors, funcdesc
from numba.core.registry import CPUDispatcher

# What names begin with: of variables that hold environments, and of addresses in recursions.
ENVIRONMENT, RECURSION = "_ZN08NumbaEnv", codegen.RuntimeLinker.PREFIX


class TwoForms(CPUDispatcher):
    """A compiled function that is called from Python in one form, and linked into its callers in another.

    Args:
        function: The function.
        options: Of `numba.njit`.
    """

    def __init__(self, function: Callable, options: dict[str, Any]):
        options = {"nopython": True, **options}
        super().__init__(function, targetoptions=options)
        self._linked: Any = _Linked(function, targetoptions=options, pipeline_class=_Compiler)

    def keep(self, own: caching.FunctionCache, linked: caching.FunctionCache) -> None:
        """Keep each form on disk in a cache of its own; the second one uses `LinkedCode`."""
        self._cache, self._linked._cache = own, linked

    # What Numba asks where it compiles a call of this function.

    def get_call_template(self, args, kws):
        wide = {name: _widened(kind) for name, kind in kws.items()}
        return self._linked.get_call_template([_widened(kind) for kind in args], wide)

    def get_overload(self, sig):
        return self._linked.get_overload(sig)

    @property
    def is_compiling(self):
        return self._compiling_counter or self._linked.is_compiling

    def _reduce_class(self):  # to Python's pickle it is an ordinary compiled function
        return CPUDispatcher


def _widened(kind: Any) -> Any:
    """Take smaller integers and constants as int64: Numba compiles a function for each type of arguments."""
    return types.int64 if types.unliteral(kind) in types.signed_domain else kind


class LinkedCode(caching.CompileResultCacheImpl):
    """The second form on disk: bitcode, and the types of a call."""

    def reduce(self, cres):
        library = cres.library
        if not isinstance(library, _Library):
            return super().reduce(cres)
        cres.fndesc.typemap = cres.fndesc.calltypes = None
        return _Kept(library.name, library.bitcode(), cres.fndesc, cres.signature)

    def rebuild(self, target_context, payload):
        if not isinstance(payload, _Kept):
            return super().rebuild(target_context, payload)
        name, bitcode, fndesc, signature = payload
        library = _Library(target_context.codegen(), name)
        library.take_over(bitcode)
        return compiler.compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            entry_point=object(),
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=(),
        )


class _Kept(NamedTuple):
    name: str
    bitcode: bytes
    fndesc: funcdesc.PythonFunctionDescriptor
    signature: Any


class _Linked(CPUDispatcher):
    def add_overload(self, cres):
        """Do not tell the table of calls from Python, which cannot call this form."""
        self.overloads[tuple(cres.signature.args)] = cres


class _Compiler(compiler.Compiler):
    """Compiles to bitcode, and to machine code where that needs an environment."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        self._usual = compiler.Compiler(typingctx, targetctx, library, args, return_type, flags, locals)
        flags = flags.copy()
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func):
        target = self.state.targetctx
        self.state.library = library = _Library(target.codegen(), func.__qualname__)
        result = super().compile_extra(func)
        library.finalize()
        if library.variables(RECURSION):
            raise errors.UnsupportedError(f"{library.name} is called by what it calls; expected a loop")
        if library.variables(ENVIRONMENT):
            return self._usual.compile_extra(func)
        # By the entry point Numba finds what to link in: here nothing but a key.
        result = result._replace(entry_point=object())
        target.insert_user_function(result.entry_point, result.fndesc, [library])
        return result


class _Library(codegen.JITCodeLibrary):
    """The bitcode of a function and of those that it calls, without machine code."""

    def bitcode(self) -> bytes:
        return self._final_module.as_bitcode()

    def take_over(self, bitcode: bytes) -> None:
        """Take what a file has."""
        self._final_module = llvm.parse_bitcode(bitcode)
        self._finalized = True

    def variables(self, prefix: str) -> list[Any]:
        """The global variables whose names begin with this."""
        return [each for each in self._final_module.global_variables if each.name.startswith(prefix)]

    def _optimize_final_module(self):
        """Drop what nothing uses. The linking function optimizes it, together with all else that it links."""
        for variable in self.variables(ENVIRONMENT):  # Numba always makes one: it goes where nothing uses it
            variable.linkage = llvm.Linkage.available_externally
        passes = llvm.create_new_module_pass_manager()
        if not hasattr(passes, "add_global_dead_code_eliminate_pass"):  # llvmlite 0.44, of Numba 0.61
            super()._optimize_final_module()
            return
        passes.add_global_dead_code_eliminate_pass()
        options = llvm.create_pipeline_tuning_options(speed_level=0)
        passes.run(self._final_module, llvm.create_pass_builder(self._codegen._tm, options))

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True
