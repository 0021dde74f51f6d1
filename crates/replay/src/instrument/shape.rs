//! The index spaces of a module, which the copy must extend without disturbing.

use wasmparser::{FuncType, Parser, Payload, TypeRef};

/// The index spaces of a module.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    /// Every type; none for what is not a function type.
    pub(crate) types: Vec<Option<FuncType>>,
    /// The type of every function, imports first.
    pub(crate) functions: Vec<u32>,
    /// How many of these are imported.
    pub(crate) imported_functions: u32,
    /// How many globals there are.
    pub(crate) globals: u32,
    /// The start function.
    pub(crate) start: Option<u32>,
}

impl Shape {
    pub(crate) fn read(module: &[u8]) -> Result<Self, wasmparser::BinaryReaderError> {
        let mut shape = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        for ty in group?.into_types() {
                            shape.types.push(match ty.composite_type.inner {
                                wasmparser::CompositeInnerType::Func(func) => Some(func),
                                _ => None,
                            });
                        }
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                                shape.functions.push(ty);
                                shape.imported_functions += 1;
                            }
                            TypeRef::Global(_) => shape.globals += 1,
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        shape.functions.push(ty?);
                    }
                }
                Payload::GlobalSection(section) => shape.globals += section.count(),
                Payload::StartSection { func, .. } => shape.start = Some(func),
                _ => {}
            }
        }
        Ok(shape)
    }

    /// The type of a function.
    pub(crate) fn function_type(&self, function: u32) -> Option<&FuncType> {
        let ty = *self.functions.get(function as usize)?;
        self.types.get(ty as usize)?.as_ref()
    }
}
